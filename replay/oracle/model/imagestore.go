package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
)

// imageReference begins the URL of a stored image (keepimg.md, Store).
const imageReference = "loki-img:"

var (
	dataURL = regexp.MustCompile(`^data:image/(jpeg|png|gif|webp);base64,`)

	imageExtensions = map[string]string{"jpeg": ".jpg", "png": ".png", "gif": ".gif", "webp": ".webp"}
)

// imageStore holds images by name, in RAM.
type imageStore map[string][]byte

// store keeps the one image of a message and gives the message with a reference in its place, and the image's
// weight in bytes; false when it is refused (keepimg.md, Store). The store itself can refuse: fails.
func (s imageStore) store(m *message, fails bool) (stored *message, weight int, ok bool) {
	if m.images() != 1 {
		return nil, 0, false
	}
	referenced := *m
	parts := append([]part(nil), m.Content.parts...)
	referenced.Content = &content{parts: parts, isParts: true}
	for i := range parts {
		if !parts[i].isImage() {
			continue
		}
		name, image, readable := readDataURL(parts[i].URL)
		if !readable || fails {
			return nil, 0, false
		}
		s[name] = image
		parts[i].URL = imageReference + name
		weight = len(image)
	}
	return &referenced, weight, true
}

// readDataURL reads a data URL strictly: what is rebuilt from the bytes must be what was received.
func readDataURL(url string) (name string, image []byte, ok bool) {
	head := dataURL.FindStringSubmatch(url)
	if head == nil {
		return "", nil, false
	}
	image, err := base64.StdEncoding.Strict().DecodeString(url[len(head[0]):])
	if err != nil || len(image) == 0 {
		return "", nil, false
	}
	if head[0]+base64.StdEncoding.EncodeToString(image) != url {
		return "", nil, false
	}
	sum := sha256.Sum256(image)
	return hex.EncodeToString(sum[:16]) + imageExtensions[head[1]], image, true
}
