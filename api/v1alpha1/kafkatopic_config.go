package v1alpha1

// KafkaTopicConfig are the settings of a topic. Times are in milliseconds, sizes in bytes.
type KafkaTopicConfig struct {
	// What becomes of old segments: delete, compact, or compact,delete for both.
	// +optional
	CleanupPolicy string `json:"cleanup_policy,omitempty"`
	// How messages are stored: gzip, snappy, lz4, zstd, uncompressed, or producer for the way that they came in.
	// +optional
	CompressionType string `json:"compression_type,omitempty"`
	// How long the mark of a deleted key stays in a compacted topic.
	// +optional
	DeleteRetentionMs *int `json:"delete_retention_ms,omitempty"`
	// Keep messages in object storage alone. Only for services that have this feature.
	// +optional
	DisklessEnable *bool `json:"diskless_enable,omitempty"`
	// How long a file stays on disk after it was dropped.
	// +optional
	FileDeleteDelayMs *int `json:"file_delete_delay_ms,omitempty"`
	// Number of messages after which they are forced to disk.
	// +optional
	FlushMessages *int `json:"flush_messages,omitempty"`
	// Time after which messages are forced to disk.
	// +optional
	FlushMs *int `json:"flush_ms,omitempty"`
	// Distance between two entries of the index.
	// +optional
	IndexIntervalBytes *int `json:"index_interval_bytes,omitempty"`
	// Size that tiered storage keeps on local disks: -1 is no limit, -2 is that of retention_bytes.
	// +optional
	LocalRetentionBytes *int `json:"local_retention_bytes,omitempty"`
	// Time that tiered storage keeps messages on local disks: -1 is no limit, -2 is that of retention_ms.
	// +optional
	LocalRetentionMs *int `json:"local_retention_ms,omitempty"`
	// Longest time that a message waits for compaction.
	// +optional
	MaxCompactionLagMs *int `json:"max_compaction_lag_ms,omitempty"`
	// Size of the largest batch of messages.
	// +optional
	MaxMessageBytes *int `json:"max_message_bytes,omitempty"`
	// Convert messages for consumers that know older formats only.
	// +optional
	MessageDownconversionEnable *bool `json:"message_downconversion_enable,omitempty"`
	// Format of messages on disk. Kafka 4.0 and later ignore it.
	// +optional
	MessageFormatVersion string `json:"message_format_version,omitempty"`
	// How far the time of a message may be from that of the node that receives it.
	// +optional
	MessageTimestampDifferenceMaxMs *int `json:"message_timestamp_difference_max_ms,omitempty"`
	// Whose time messages carry: CreateTime is that of the producer, LogAppendTime that of the node.
	// +optional
	MessageTimestampType string `json:"message_timestamp_type,omitempty"`
	// Share of messages that weren't compacted yet at which compaction begins, from 0 to 1.
	// +optional
	MinCleanableDirtyRatio *float64 `json:"min_cleanable_dirty_ratio,omitempty"`
	// Shortest time that a message stays before compaction.
	// +optional
	MinCompactionLagMs *int `json:"min_compaction_lag_ms,omitempty"`
	// Number of copies that must have a message before a producer with acks=all is answered.
	// +optional
	MinInsyncReplicas *int `json:"min_insync_replicas,omitempty"`
	// Take the disk space of a segment when it is begun.
	// +optional
	Preallocate *bool `json:"preallocate,omitempty"`
	// Move old segments to object storage. The service must have tiered storage turned on.
	// +optional
	RemoteStorageEnable *bool `json:"remote_storage_enable,omitempty"`
	// Size of a partition beyond which old segments go: -1 is no limit.
	// +optional
	RetentionBytes *int `json:"retention_bytes,omitempty"`
	// Time after which messages go: -1 is never.
	// +optional
	RetentionMs *int `json:"retention_ms,omitempty"`
	// Size of a segment.
	// +optional
	SegmentBytes *int `json:"segment_bytes,omitempty"`
	// Size of the index of a segment.
	// +optional
	SegmentIndexBytes *int `json:"segment_index_bytes,omitempty"`
	// Random time by which segments end earlier, so that they don't all end at once.
	// +optional
	SegmentJitterMs *int `json:"segment_jitter_ms,omitempty"`
	// Time after which a segment ends, even if it isn't full.
	// +optional
	SegmentMs *int `json:"segment_ms,omitempty"`
	// Let a node lead that lacks messages, when no other one is left. Messages may be lost.
	// +optional
	UncleanLeaderElectionEnable *bool `json:"unclean_leader_election_enable,omitempty"`
}
