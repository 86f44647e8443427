import { expect, test } from 'bun:test'
import { findRefusedParameter } from './refused-parameter.ts'

const find = (message: string, codes: readonly string[] = [], param: string | null = null) =>
  findRefusedParameter({ message, codes, param })

test.each([
  ["Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'],
  [
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    'temperature',
  ],
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    'max_tokens',
  ],
  ['Unrecognized request argument supplied: top_k', 'top_k'],
  ['Unrecognized request arguments supplied: top_k, min_p', 'top_k'],
  ["Unknown parameter: 'reasoning.foo'.", 'reasoning.foo'],
  ['context_management: Extra inputs are not permitted', 'context_management'],
  ['`temperature` is deprecated for this model.', 'temperature'],
  ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.', 'top_p'],
  ["Extra inputs are not permitted, field: 'verbosity', value: 'low'", 'verbosity'],
  [
    'Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input and try again.',
    'top_k',
  ],
  [
    `Invalid JSON payload received. Unknown name "topKay" at 'generation_config': Cannot find field.`,
    'generation_config.topKay',
  ],
  ['Invalid JSON payload received. Unknown name "user": Cannot find field.', 'user'],
  [
    "[{'type': 'extra_forbidden', 'loc': ('body', 'min_p'), 'msg': 'Extra inputs are not permitted', 'input': 1}]",
    'min_p',
  ],
  ['Argument not supported on this model: presencePenalty', 'presencePenalty'],
  ['Model grok-4.6 does not support parameter presencePenalty.', 'presencePenalty'],
  ["property 'logit_bias' is unsupported, did you mean 'top_p'?", 'logit_bias'],
  ['invalid temperature: only 1 is allowed for this model', 'temperature'],
  ['Parameter top_k is not supported.', 'top_k'],
  ['logit_bias is not supported by this model', 'logit_bias'],
])('%s', (message, name) => expect(find(message)?.refusedParam).toBe(name))

test('finds the parameter by code and field', () => {
  expect(find('No.', ['unsupported_value', 'invalid_request_error'], 'reasoning.summary')).toEqual({
    refusedParam: 'reasoning.summary',
    refusedScope: 'value',
  })
  expect(find('No.', ['unsupported_parameter'], 'top_k')).toEqual({
    refusedParam: 'top_k',
    refusedScope: 'parameter',
  })
  expect(find('No.', ['invalid_request_error'], 'reasoning.summary')).toBeNull()
})

test.each([
  "Invalid value for 'temperature': expected a number between 0 and 2.",
  'max_tokens is too large: 900000.',
  'messages: roles must alternate between "user" and "assistant"',
  "This model's maximum context length is 8192 tokens.",
  'The model does not support image input.',
])('%s names no refused parameter', (message) => expect(find(message)).toBeNull())

test.each([
  ["Unsupported parameter: 'temperature' is not supported with this model.", 'parameter'],
  ['Unrecognized request argument supplied: top_k', 'parameter'],
  ['context_management: Extra inputs are not permitted', 'parameter'],
  [
    `Invalid JSON payload received. Unknown name "topKay" at 'generation_config': Cannot find field.`,
    'parameter',
  ],
  ["Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.", 'value'],
  ['invalid temperature: only 1 is allowed for this model', 'value'],
  ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.', 'request'],
  ["Unsupported parameter: 'temperature' is not supported when reasoning is on.", 'request'],
] as const)('how far a refusal goes: %s', (message, scope) => expect(find(message)?.refusedScope).toBe(scope))

test.each([
  "Invalid value: 'x', unsupported parameter: 'temperature''. Supported values are: 'auto'.",
  "Input should be 'low' or 'high' [input_value=\"unsupported parameter: 'temperature'\", input_type=str]",
  'No such tier: unsupported parameter: temperature',
])('what may be a quotation of the request is no word on the parameter: %s', (message) =>
  expect(find(message)).toEqual({ refusedParam: 'temperature', refusedScope: 'value' }),
)
