package aiven

// Item is an element of a shared list, by the key that ListSource.Items gives it.
type Item struct {
	List ListKey
	Key  string
}
