package fakekubelet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// dataLink is a link to the folder with the present files of a volume, which a kubelet swaps as a whole.
const dataLink = "..data"

// mountError is one of a volume: the container isn't created yet.
type mountError struct{ error }

// mount writes the files of the Secrets that the container mounts. It returns their folders by the paths at which the container
// expects them.
func (p *pod) mount() (map[string]string, error) {
	folders := map[string]string{}
	for _, mounted := range p.object.Spec.Containers[0].VolumeMounts {
		for _, volume := range p.object.Spec.Volumes {
			if volume.Name != mounted.Name || volume.Secret == nil {
				continue
			}
			folder := filepath.Join(p.folder, "volumes", volume.Name)
			if err := p.writeSecret(folder, volume.Secret); err != nil {
				return nil, mountError{fmt.Errorf("MountVolume.SetUp failed for volume %q: %w", volume.Name, err)}
			}
			folders[mounted.MountPath] = folder
		}
	}
	return folders, nil
}

// moved are the arguments of a container with the folders of its volumes instead of the paths.
func moved(args []string, folders map[string]string) []string {
	for path, folder := range folders {
		for i := range args {
			if flag, file, found := strings.Cut(args[i], "="+path); found && (file == "" || file[0] == '/') {
				args[i] = flag + "=" + folder + file
			}
		}
	}
	return args
}

// writeSecret writes the files of a Secret if it has changed.
func (p *pod) writeSecret(folder string, source *corev1.SecretVolumeSource) error {
	optional := ptr.Deref(source.Optional, false)
	secret, err := p.node.client.CoreV1().Secrets(p.object.Namespace).Get(p.ctx, source.SecretName, metav1.GetOptions{})
	if optional && apierrors.IsNotFound(err) {
		secret, err = &corev1.Secret{}, nil
	}
	if err != nil {
		return err
	}
	version := "..version" + secret.ResourceVersion
	if present, _ := os.Readlink(filepath.Join(folder, dataLink)); present == version {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(folder, version), 0o700); err != nil {
		return err
	}
	items := source.Items
	for key := range secret.Data {
		if len(source.Items) == 0 {
			items = append(items, corev1.KeyToPath{Key: key, Path: key})
		}
	}
	for _, item := range items {
		content, found := secret.Data[item.Key]
		if !found && optional {
			continue
		}
		if !found {
			return fmt.Errorf("references non-existent secret key: %s", item.Key)
		}
		if err := os.WriteFile(filepath.Join(folder, version, item.Path), content, 0o600); err != nil {
			return err
		}
		_ = os.Symlink(filepath.Join(dataLink, item.Path), filepath.Join(folder, item.Path)) // it may be there
	}
	next := filepath.Join(folder, dataLink+"_tmp")
	return errors.Join(os.Symlink(version, next), os.Rename(next, filepath.Join(folder, dataLink)))
}
