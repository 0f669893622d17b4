package datadir

import (
	"errors"

	"airqa/qa"
)

// CheckShard returns an error if the data directory at path is not for a part of a corpus, such as "3/16", or not for a whole
// one if shard is empty. A directory without papers, or none at all, is for anything. Another shard is a [qa.UsageError].
func CheckShard(path, shard string) error {
	d, err := Open(path)
	if errors.Is(err, ErrNotDataDir) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	begun := info.Papers > 0 || info.Chunks != nil || info.Shard != ""
	switch {
	case info.Shard == shard || !begun:
		return nil
	case info.Shard == "":
		return qa.Usagef("data directory %s has papers that are not of shard %s alone; use a new folder", path, shard)
	case shard == "":
		return qa.Usagef("data directory %s is shard %s of a corpus; name that shard, or add to the joined directory", path, info.Shard)
	}
	return qa.Usagef("data directory %s is shard %s, not %s; use a folder for each shard, and the same number of shards for all",
		path, info.Shard, shard)
}

// TakeShard records the part of a corpus that the directory is for. See [CheckShard]. The caller must hold the lock.
func (d *Dir) TakeShard(shard string) error {
	if err := CheckShard(d.path, shard); err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil || info.Shard == shard {
		return err
	}
	info.Shard = shard
	return d.WriteInfo(info)
}
