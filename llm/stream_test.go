package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// streamOf is a stream with these lists of tool calls.
func streamOf(calls ...string) string {
	var out strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&out, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[%s]}}]}\n\n", c)
	}
	return out.String() + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
}

// Calls of a stream are distinct although servers number and name them in many ways.
func TestStreamedCalls(t *testing.T) {
	const (
		a0     = `{"index":0,"id":"a","type":"function","function":{"name":"Retrieve","arguments":"{\"n\":1}"}}`
		b0     = `{"index":0,"id":"b","type":"function","function":{"name":"Retrieve","arguments":"{\"n\":2}"}}`
		a1     = `{"index":1,"id":"a","function":{"name":"Retrieve","arguments":""}}`
		b2     = `{"index":2,"id":"b","function":{"name":"Answer","arguments":"{"}}`
		b0open = `{"index":0,"id":"b","function":{"name":"Answer","arguments":""}}`
	)
	tests := []struct {
		name   string
		stream string
		want   []string
	}{
		{"one index, two ids", streamOf(a0, b0), []string{`a Retrieve {"n":1}`, `b Retrieve {"n":2}`}},
		{"one index, two ids, one event", streamOf(a0 + "," + b0), []string{`a Retrieve {"n":1}`, `b Retrieve {"n":2}`}},
		{
			"one index, two ids, arguments in pieces",
			streamOf(strings.Replace(a0, `{\"n\":1}`, ``, 1), `{"index":0,"function":{"arguments":"{\"n\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`,
				b0open, `{"index":0,"function":{"arguments":"{\"n\":"}}`, `{"index":0,"function":{"arguments":"2}"}}`),
			[]string{`a Retrieve {"n":1}`, `b Answer {"n":2}`},
		},
		{
			"pieces that alternate by id",
			streamOf(strings.Replace(a0, `1}`, ``, 1), strings.Replace(b0, `2}`, ``, 1),
				`{"index":0,"id":"a","function":{"arguments":"1}"}}`, `{"index":0,"id":"b","function":{"arguments":"2}"}}`),
			[]string{`a Retrieve {"n":1}`, `b Retrieve {"n":2}`},
		},
		{
			"index 1 first", streamOf(`{"index":1,"id":"b","function":{"name":"Answer","arguments":"{}"}}`, a0),
			[]string{`a Retrieve {"n":1}`, `b Answer {}`},
		},
		{
			"indexes from 1", streamOf(a1, b2, `{"index":2,"function":{"arguments":"}"}}`, `{"index":1,"function":{"arguments":"{\"n\":1}"}}`),
			[]string{`a Retrieve {"n":1}`, `b Answer {}`},
		},
		{
			"one call, index 3", streamOf(`{"index":3,"id":"a","function":{"name":"Retrieve","arguments":"{"}}`, `{"index":3,"function":{"arguments":"}"}}`),
			[]string{`a Retrieve {}`},
		},
		{
			"repeated name", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"{\"n\""}}`,
				`{"index":0,"function":{"name":"Retrieve","arguments":":1}"}}`, `{"index":0,"function":{"name":"Retrieve","arguments":""}}`),
			[]string{`a Retrieve {"n":1}`},
		},
		{
			"repeated id and name", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"{\"n\""}}`,
				`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":":1}"}}`),
			[]string{`a Retrieve {"n":1}`},
		},
		{
			"one id, two names", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"{}"}}`, `{"index":0,"id":"a","function":{"name":"Answer","arguments":"{}"}}`),
			[]string{`a Retrieve {}`, `a Answer {}`},
		},
		{
			"one id, two indexes", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"{}"}}`, `{"index":1,"id":"a","function":{"name":"Retrieve","arguments":"{"}}`,
				`{"index":1,"id":"a","function":{"arguments":"}"}}`),
			[]string{`a Retrieve {}`, `a Retrieve {}`},
		},
		{"whole again at the end", streamOf(a0, a0), []string{`a Retrieve {"n":1}`}},
		{
			"an id for every part", streamOf(`{"index":0,"id":"x1","function":{"name":"Retrieve","arguments":"{\"n\""}}`,
				`{"index":0,"id":"x2","function":{"arguments":":1}"}}`),
			[]string{`x1 Retrieve {"n":1}`},
		},
		{
			"name in pieces", streamOf(`{"index":0,"id":"a","function":{"name":"Retr"}}`, `{"index":0,"function":{"name":"ieve","arguments":"{}"}}`),
			[]string{`a Retrieve {}`},
		},
		{
			"name after the id", streamOf(`{"index":0,"id":"a"}`, `{"index":0,"function":{"name":"Retrieve","arguments":"{}"}}`),
			[]string{`a Retrieve {}`},
		},
		{
			"id after the name", streamOf(`{"index":0,"function":{"name":"Retrieve","arguments":""}}`, `{"index":0,"id":"a","function":{"arguments":"{}"}}`),
			[]string{`a Retrieve {}`},
		},
		{
			"no ids, one index, two names", streamOf(`{"index":0,"function":{"name":"Retrieve","arguments":"{}"}}`,
				`{"index":0,"function":{"name":"Answer","arguments":"{}"}}`),
			[]string{`call_0 Retrieve {}`, `call_1 Answer {}`},
		},
		{
			"no ids, one index, one name", streamOf(`{"index":0,"function":{"name":"Retrieve","arguments":"{\"n\":1}"}}`,
				`{"index":0,"function":{"name":"Retrieve","arguments":"{\"n\":2}"}}`),
			[]string{`call_0 Retrieve {"n":1}`, `call_1 Retrieve {"n":2}`},
		},
		{
			"no ids, no index", streamOf(`{"function":{"name":"Retrieve","arguments":"{"}}`, `{"function":{"arguments":"}"}}`,
				`{"function":{"name":"Answer","arguments":{"n":1}}}`),
			[]string{`call_0 Retrieve {}`, `call_1 Answer {"n":1}`},
		},
		{
			"ids, no index", streamOf(`{"id":"a","function":{"name":"Retrieve","arguments":{"n":1}}}`, `{"id":"b","function":{"name":"Retrieve","arguments":{}}}`),
			[]string{`a Retrieve {"n":1}`, `b Retrieve {}`},
		},
		{
			"a field of another type", streamOf(`{"index":0,"id":7,"type":["function"],"function":{"name":"Retrieve","arguments":"{}","strict":"no"}}`),
			[]string{`call_0 Retrieve {}`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, test.stream))
			reply, err := open(t, config(s, "m")).Complete(t.Context(), qa.Request{Messages: requests[0].messages, Tools: []qa.ToolSpec{lookup}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, call := range reply.ToolCalls {
				got = append(got, call.ID+" "+call.Name+" "+string(call.Arguments))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}
