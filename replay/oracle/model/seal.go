package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"io"
)

// sealMark begins a sealed page and is its associated data (memory.md, Writing a page).
const sealMark = "LOKIMEMv1"

const nonceSize = 12

var (
	errLocked  = errors.New("sealed, and no key to open it")
	errDamaged = errors.New("sealed, and damaged")
)

func isSealed(stored []byte) bool {
	return bytes.HasPrefix(stored, []byte(sealMark))
}

// newSeal prepares AES-256-GCM for a key of 32 bytes.
func newSeal(key []byte) (cipher.AEAD, error) {
	if len(key) != 32 {
		return nil, errors.New("the key must be 32 bytes long")
	}
	cipherBlock, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(cipherBlock)
}

// sealBytes seals a page: mark, nonce, ciphertext with tag.
func sealBytes(seal cipher.AEAD, nonces io.Reader, content []byte) ([]byte, error) {
	nonce := make([]byte, nonceSize)
	if _, err := io.ReadFull(nonces, nonce); err != nil {
		return nil, err
	}
	stored := append([]byte(sealMark), nonce...)
	return seal.Seal(stored, nonce, content, []byte(sealMark)), nil
}

// openBytes gives a page's content. A page without the mark is plain; a sealed one without a key is locked,
// before anything is said of its health (the given locked journal has a damaged page: it is locked).
func openBytes(seal cipher.AEAD, stored []byte) ([]byte, error) {
	if !isSealed(stored) {
		return stored, nil
	}
	if seal == nil {
		return nil, errLocked
	}
	rest := stored[len(sealMark):]
	if len(rest) < nonceSize {
		return nil, errDamaged
	}
	content, err := seal.Open(nil, rest[:nonceSize], rest[nonceSize:], []byte(sealMark))
	if err != nil {
		return nil, errDamaged
	}
	return content, nil
}
