package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

const (
	indexName    = "MEMORY.md"
	lockedTitle  = "🔒 (chiffré — mémoire verrouillée)"
	nameMaxBytes = 255 // what the systems Loki runs on allow for one file's name
)

var (
	errNameEmpty   = errors.New("nom vide")
	errNameInvalid = errors.New("nom invalide (alphanum, ._-)")
	errNoPage      = errors.New("no such page")

	pageName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// normalName is the file a page's name stands for (memory.md, Names).
func normalName(file string) (string, error) {
	name := strings.TrimSpace(file)
	if name == "" {
		return "", errNameEmpty
	}
	if !hasPageSuffix(name) {
		name += ".md"
	}
	if !pageName.MatchString(name) {
		return "", errNameInvalid
	}
	return name, nil
}

func hasPageSuffix(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".md")
}

// title is a page's first line that is not empty once trimmed (memory.md, Listing).
func title(content string) string {
	for _, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		if line != "" {
			return line
		}
	}
	return ""
}

// page is an entry of the listing.
type page struct {
	name, title, content string
}

// pages lists the folder (memory.md, Listing).
func (m *memory) pages() []page {
	names := make([]string, 0, len(m.files))
	for name := range m.files {
		if !strings.HasPrefix(name, ".") && hasPageSuffix(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	listed := make([]page, 0, len(names))
	for _, name := range names {
		content, err := openBytes(m.settings.key, m.files[name])
		if err != nil {
			listed = append(listed, page{name: name, title: lockedTitle})
			continue
		}
		listed = append(listed, page{name, title(string(content)), string(content)})
	}
	return listed
}

// content reads a page by its normalised name.
func (m *memory) content(name string) (string, error) {
	stored, ok := m.files[name]
	if !ok {
		return "", errNoPage
	}
	content, err := openBytes(m.settings.key, stored)
	return string(content), err
}

// unreadable is the text for a page that can't be read (memory.md, mem_read).
func unreadable(file string, err error) string {
	if errors.Is(err, errLocked) {
		return fmt.Sprintf("[erreur] page '%s' chiffrée — mémoire verrouillée", file)
	}
	return fmt.Sprintf("[erreur] page '%s' introuvable", file)
}

// open reads a page by the name an argument gave.
func (m *memory) open(file string) (name, content string, err error) {
	name, err = normalName(file)
	if err != nil {
		return "", "", err
	}
	content, err = m.content(name)
	return name, content, err
}

// read shows lines of a page (memory.md, mem_read).
func (m *memory) read(args arguments) string {
	file := args.textOrEmpty("file")
	_, content, err := m.open(file)
	if err != nil {
		return unreadable(file, err)
	}
	offset, limit := args.integer("offset"), args.integer("limit")
	if offset <= 0 {
		offset = 1
	}
	if limit <= 0 || limit > 500 {
		limit = 500
	}
	lines := strings.Split(content, "\n")
	var out strings.Builder
	for i := offset - 1; i < len(lines) && i-(offset-1) < limit; i++ {
		fmt.Fprintf(&out, "%d\t%s\n", i+1, lines[i])
	}
	return strings.TrimRight(out.String(), "\n")
}

// write keeps the version before, then writes a page, sealed if need be (memory.md, Writing a page).
func (m *memory) write(name, content string) error {
	if m.mustNotWrite() {
		return errPageLocked
	}
	if len(name) > nameMaxBytes {
		return fmt.Errorf("open %s: file name too long", name)
	}
	stored := []byte(content)
	if m.settings.encrypted {
		sealed, err := sealBytes(m.settings.key, m.nonces, stored)
		if err != nil {
			return err
		}
		stored = sealed
	}
	if before, ok := m.files[name]; ok && len(name)+len(".bak") <= nameMaxBytes {
		m.files[name+".bak"] = before
	}
	m.files[name] = stored
	if !bytes.Equal(m.files[name], stored) {
		return errors.New("the page read back is not the page written")
	}
	return nil
}

// add makes a new page (memory.md, mem_add).
func (m *memory) add(args arguments) (string, []diffEntry) {
	file, content := args.textOrEmpty("file"), args.textOrEmpty("content")
	name, err := normalName(file)
	if err != nil {
		return "[erreur] " + err.Error(), nil
	}
	if _, exists := m.files[name]; exists {
		return "[erreur] la page existe déjà — utilise mem_edit pour la modifier", nil
	}
	if err := m.write(name, strings.TrimRight(content, "\n")+"\n"); err != nil {
		return "[erreur] " + err.Error(), nil
	}
	// The page is there: an index that can't be written does not undo it.
	_ = m.index(name, title(content))
	return fmt.Sprintf("[ok] page '%s' créée", file), lineDiff("", content)
}

// edit replaces the one occurrence of a text in a page (memory.md, mem_edit).
func (m *memory) edit(args arguments) (string, []diffEntry) {
	file := args.textOrEmpty("file")
	name, content, err := m.open(file)
	if err != nil {
		return unreadable(file, err), nil
	}
	before, after := args.textOrEmpty("old"), args.textOrEmpty("new")
	if before == "" {
		return "[erreur] old vide", nil
	}
	switch n := strings.Count(content, before); {
	case n == 0 && after != "" && strings.Contains(content, after):
		return fmt.Sprintf("[ok] page '%s' déjà à jour — la page contient déjà cette modification", file), nil
	case n == 0:
		return "[erreur] old introuvable dans la page", nil
	case n > 1:
		return fmt.Sprintf("[erreur] old apparaît %d fois — ajoute du contexte pour le rendre unique", n), nil
	}
	if err := m.write(name, strings.Replace(content, before, after, 1)); err != nil {
		return "[erreur] " + err.Error(), nil
	}
	return fmt.Sprintf("[ok] page '%s' modifiée", file), lineDiff(before, after)
}

// index gives a new page its line in MEMORY.md (memory.md, The index).
func (m *memory) index(name, pageTitle string) error {
	if strings.EqualFold(name, indexName) {
		return nil
	}
	content, err := m.content(indexName)
	if err != nil || strings.TrimSpace(content) == "" {
		content = fmt.Sprintf("# Index mémoire — %s\n\n", m.settings.name) +
			"Une ligne par page de ce projet (`- [titre](fichier.md) — accroche`). Tenu à jour automatiquement à la création et à la suppression d'une page ; l'accroche après le titre, elle, est libre.\n"
		if err := m.write(indexName, content); err != nil {
			return err
		}
	}
	for _, line := range strings.Split(content, "\n") {
		if strings.Contains(line, "]("+name+")") {
			return nil
		}
	}
	if pageTitle == "" {
		pageTitle = name
	}
	content = strings.TrimRight(content, "\n") + fmt.Sprintf("\n- [%s](%s)\n", pageTitle, name)
	return m.write(indexName, content)
}
