package v1alpha1

// KafkaTopicConfig are the configuration options of a topic, by their names in Kafka.
type KafkaTopicConfig struct {
	// Retention policy of old segments: delete, compact, or compact,delete for both.
	// +optional
	CleanupPolicy string `json:"cleanup_policy,omitempty"`
	// Compression type of the topic: gzip, snappy, lz4, zstd, uncompressed, or producer to keep the codec of the producer.
	// +optional
	CompressionType string `json:"compression_type,omitempty"`
	// Time to retain delete tombstones in compacted topics, in milliseconds.
	// +optional
	DeleteRetentionMs *int `json:"delete_retention_ms,omitempty"`
	// Store messages in object storage only (diskless topic). Requires a service with diskless topics enabled.
	// +optional
	DisklessEnable *bool `json:"diskless_enable,omitempty"`
	// Time to wait before deleting a file from the file system, in milliseconds.
	// +optional
	FileDeleteDelayMs *int `json:"file_delete_delay_ms,omitempty"`
	// Number of messages after which an fsync of the log is forced.
	// +optional
	FlushMessages *int `json:"flush_messages,omitempty"`
	// Time after which an fsync of the log is forced, in milliseconds.
	// +optional
	FlushMs *int `json:"flush_ms,omitempty"`
	// Interval between entries in the offset index, in bytes.
	// +optional
	IndexIntervalBytes *int `json:"index_interval_bytes,omitempty"`
	// Maximum size of local log segments of a partition with tiered storage, in bytes; -1 means unlimited, -2 means the value of
	// retention_bytes.
	// +optional
	LocalRetentionBytes *int `json:"local_retention_bytes,omitempty"`
	// Retention time of local log segments with tiered storage, in milliseconds; -1 means unlimited, -2 means the value of
	// retention_ms.
	// +optional
	LocalRetentionMs *int `json:"local_retention_ms,omitempty"`
	// Maximum time a message remains ineligible for compaction, in milliseconds.
	// +optional
	MaxCompactionLagMs *int `json:"max_compaction_lag_ms,omitempty"`
	// Largest record batch size allowed by Kafka, after compression, in bytes.
	// +optional
	MaxMessageBytes *int `json:"max_message_bytes,omitempty"`
	// Convert messages to older formats for consumers that require it.
	// +optional
	MessageDownconversionEnable *bool `json:"message_downconversion_enable,omitempty"`
	// Message format version that the broker uses to append messages. Ignored by Kafka 4.0 and later.
	// +optional
	MessageFormatVersion string `json:"message_format_version,omitempty"`
	// Maximum difference between the timestamp of a message and the time at which the broker receives it, in milliseconds.
	// +optional
	MessageTimestampDifferenceMaxMs *int `json:"message_timestamp_difference_max_ms,omitempty"`
	// Timestamp of messages: CreateTime (set by the producer) or LogAppendTime (set by the broker).
	// +optional
	MessageTimestampType string `json:"message_timestamp_type,omitempty"`
	// Ratio of the log that is not yet compacted to its total size at which the log is compacted, from 0 to 1.
	// +optional
	MinCleanableDirtyRatio *float64 `json:"min_cleanable_dirty_ratio,omitempty"`
	// Minimum time a message remains uncompacted, in milliseconds.
	// +optional
	MinCompactionLagMs *int `json:"min_compaction_lag_ms,omitempty"`
	// Number of in-sync replicas that must acknowledge a write of a producer with acks=all.
	// +optional
	MinInsyncReplicas *int `json:"min_insync_replicas,omitempty"`
	// Preallocate the file on disk when a new log segment is created.
	// +optional
	Preallocate *bool `json:"preallocate,omitempty"`
	// Enable tiered storage for the topic. Requires a service with tiered storage enabled.
	// +optional
	RemoteStorageEnable *bool `json:"remote_storage_enable,omitempty"`
	// Maximum size of a partition before old log segments are deleted, in bytes; -1 means unlimited.
	// +optional
	RetentionBytes *int `json:"retention_bytes,omitempty"`
	// Retention time of messages in milliseconds; -1 means unlimited.
	// +optional
	RetentionMs *int `json:"retention_ms,omitempty"`
	// Size of a log segment file, in bytes.
	// +optional
	SegmentBytes *int `json:"segment_bytes,omitempty"`
	// Size of the index that maps offsets to file positions, in bytes.
	// +optional
	SegmentIndexBytes *int `json:"segment_index_bytes,omitempty"`
	// Maximum random jitter subtracted from the scheduled segment roll time, in milliseconds, to avoid rolling many segments at once.
	// +optional
	SegmentJitterMs *int `json:"segment_jitter_ms,omitempty"`
	// Time after which the log is rolled even if the segment is not full, in milliseconds.
	// +optional
	SegmentMs *int `json:"segment_ms,omitempty"`
	// Allow a replica that is not in sync to be elected leader if no in-sync replica is available. May lose data.
	// +optional
	UncleanLeaderElectionEnable *bool `json:"unclean_leader_election_enable,omitempty"`
}
