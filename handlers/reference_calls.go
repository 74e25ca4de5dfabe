package handlers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"countersign/handlers/api"
	"countersign/views/reference"

	"github.com/danielgtaylor/huma/v2"
)

// callsOf turns the OpenAPI document into what its page shows.
func callsOf(doc *huma.OpenAPI) reference.Reference {
	r := reference.Reference{Text: doc.Info.Description}
	byTag := map[string][]reference.Call{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op != nil {
				byTag[op.Tags[0]] = append(byTag[op.Tags[0]], callOf(doc, op))
			}
		}
	}
	for _, tag := range doc.Tags {
		calls := byTag[tag.Name]
		if len(calls) == 0 {
			continue
		}
		slices.SortStableFunc(calls, func(a, b reference.Call) int { return cmp.Compare(api.Order(a.ID), api.Order(b.ID)) })
		r.Groups = append(r.Groups, reference.Group{Name: tag.Name, Text: tag.Description, Calls: calls})
	}
	return r
}

// callsWith are the calls that answer with a kind of problem; none for one that
// any call may answer with.
func callsWith(doc *huma.OpenAPI, slug string) (list []reference.Call) {
	for _, g := range callsOf(doc).Groups {
		for _, c := range g.Calls {
			for _, a := range c.Answers {
				if slices.ContainsFunc(a.Problems, func(p reference.Problem) bool { return p.Slug == slug }) {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

func callOf(doc *huma.OpenAPI, op *huma.Operation) reference.Call {
	c := reference.Call{ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, Text: op.Description}
	c.Scope, _ = op.Extensions["x-scope"].(string)
	if samples, ok := op.Extensions["x-codeSamples"].([]map[string]string); ok && len(samples) > 0 {
		c.Example = samples[0]["source"]
	}
	for _, p := range op.Parameters {
		c.Params = append(c.Params, reference.Field{Name: p.Name, Type: "text, in the " + p.In, Text: p.Description, Required: p.Required})
	}
	if op.RequestBody != nil {
		c.Body = membersOf(doc, op.RequestBody.Content["application/json"].Schema)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		res := op.Responses[status]
		if content := res.Content["application/json"]; content != nil {
			c.Answers = append(c.Answers, reference.Answer{Status: status, Text: res.Description})
			c.Result = membersOf(doc, content.Schema)
			continue
		}
		c.Answers = append(c.Answers, reference.Answer{Status: status, Problems: problemsOf(res)})
	}
	return c
}

func problemsOf(res *huma.Response) (list []reference.Problem) {
	slugs, _ := res.Extensions["x-problems"].([]string)
	for _, slug := range slugs {
		k, _ := api.FindKind(slug)
		list = append(list, reference.Problem{Slug: k.Slug, Title: k.Title, Path: k.Path()})
	}
	return list
}

// membersOf lists the members of an object, those that must be there first.
func membersOf(doc *huma.OpenAPI, s *huma.Schema) (fields []reference.Field) {
	s = resolved(doc, s)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		fields = append(fields, reference.Field{Name: name, Type: typeOf(doc, p), Text: p.Description, Required: slices.Contains(s.Required, name)})
	}
	slices.SortStableFunc(fields, func(a, b reference.Field) int {
		if a.Required == b.Required {
			return 0
		} else if a.Required {
			return -1
		}
		return 1
	})
	return fields
}

func resolved(doc *huma.OpenAPI, s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		return doc.Components.Schemas.SchemaFromRef(s.Ref)
	}
	return s
}

var typeWords = map[string]string{huma.TypeString: "text", huma.TypeInteger: "whole number", huma.TypeNumber: "number", huma.TypeBoolean: "true or false"}

// typeOf is the type of a member in words, with its bounds.
func typeOf(doc *huma.OpenAPI, s *huma.Schema) string {
	s = resolved(doc, s)
	switch {
	case len(s.Enum) > 0:
		var words []string
		for _, v := range s.Enum {
			words = append(words, fmt.Sprint(v))
		}
		return strings.Join(words, ", ")
	case len(s.AnyOf) > 0:
		return "text or number"
	case s.Format == "date-time":
		return "time, RFC 3339"
	case s.Type == huma.TypeArray:
		return "list of: " + typeOf(doc, s.Items)
	case s.Type == huma.TypeObject:
		return strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
	case s.Type == "":
		return "any JSON"
	case s.MaxLength != nil:
		return typeWords[s.Type] + ", " + strconv.Itoa(*s.MaxLength) + " characters at most"
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s, %g to %g", typeWords[s.Type], *s.Minimum, *s.Maximum)
	}
	return typeWords[s.Type]
}
