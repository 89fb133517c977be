package kafka

import (
	"slices"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// topicTags are never null in a request: an empty list takes all tags away.
func topicTags(obj *v1alpha1.KafkaTopic) *[]kafkatopic.TagIn {
	in := make([]kafkatopic.TagIn, 0, len(obj.Spec.Tags))
	for _, tag := range obj.Spec.Tags {
		in = append(in, kafkatopic.TagIn(tag))
	}
	return &in
}

// tagTexts writes tags so that the same ones make the same list: their order means nothing.
func tagTexts[T kafkatopic.TagIn | kafkatopic.TagOut](tags []T) []string {
	texts := make([]string, 0, len(tags))
	for _, tag := range tags {
		texts = append(texts, kafkatopic.TagIn(tag).Key+"="+kafkatopic.TagIn(tag).Value)
	}
	slices.Sort(texts)
	return texts
}
