import fc from 'fast-check'
import type {
  CacheHint,
  Citation,
  ImagePart,
  RefusalPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '../../src/conversation/part.ts'
import type { Proof } from '../../src/conversation/proof.ts'

/** What not every wire format can express; a test leaves out what its format cannot. */
export type Feature =
  | 'thinking'
  /** Thoughts that the supplier did not sign. */
  | 'unsigned-thinking'
  | 'redacted-thinking'
  /** Signatures on calls and on plain text. */
  | 'call-proofs'
  | 'text-proofs'
  | 'images'
  | 'url-images'
  | 'image-details'
  | 'result-images'
  | 'result-errors'
  /** Results of several parts; without it each has exactly one text. */
  | 'result-parts'
  | 'custom-tools'
  | 'namespaces'
  | 'web-search'
  | 'cache-hints'
  | 'citations'
  | 'refusals'
  | 'system-turns'
  /** Thinking, text and calls in any order; without it in exactly this one. */
  | 'mixed-order'
  /** The last turn is the assistant's. */
  | 'prefill'
  /** The first turn is the assistant's. */
  | 'assistant-first'
  /** Reasons to end that some formats cannot tell from a plain stop. */
  | 'rare-finishes'
  | 'stop-sequences'
  | 'explanations'
  | 'logprobs'
  | 'many-choices'

export interface ArbitraryOptions {
  readonly without?: readonly Feature[]
  /** Where the signatures are from. */
  readonly proofs?: Pick<Proof, 'origin' | 'model' | 'route'>
}

const DEFAULT_PROOFS = { origin: 'messages', model: 'deep-1', route: 'sup_1' }

/** The pieces that conversations and answers are made of, as far as the options allow them. */
export class ArbitraryParts {
  readonly #without: ReadonlySet<Feature>
  readonly #proofs: Pick<Proof, 'origin' | 'model' | 'route'>

  constructor({ without = [], proofs = DEFAULT_PROOFS }: ArbitraryOptions) {
    this.#without = new Set(without)
    this.#proofs = proofs
  }

  has(feature: Feature): boolean {
    return !this.#without.has(feature)
  }

  /** The value when the feature is wanted, otherwise always the other one. */
  when<Value>(feature: Feature, value: fc.Arbitrary<Value>, other: NoInfer<Value>): fc.Arbitrary<Value> {
    return this.has(feature) ? value : fc.constant(other)
  }

  proof(on: Proof['on']): fc.Arbitrary<Proof> {
    return fc.record({
      ...constants({ ...this.#proofs, on }),
      value: fc.base64String({ minLength: 4, maxLength: 40 }),
      itemId: fc.constant(null),
    })
  }

  cache(): fc.Arbitrary<CacheHint | null> {
    const hint = fc.record({ ttl: fc.constantFrom('5m' as const, '1h' as const, null) })
    return this.when('cache-hints', fc.option(hint, { freq: 4 }), null)
  }

  /** What a client sends as text. */
  plainText(): fc.Arbitrary<TextPart> {
    return fc.record({
      ...constants({ type: 'text', citations: [], proof: null }),
      text: words(),
      cache: this.cache(),
    })
  }

  /** What a model says. */
  answerText(): fc.Arbitrary<TextPart> {
    return fc
      .record({
        ...constants({ type: 'text', cache: null }),
        text: words(),
        citations: this.when('citations', fc.array(citation(), { maxLength: 2 }), []),
        proof: this.when('text-proofs', fc.option(this.proof('text')), null),
      })
      .map((part) => ({ ...part, citations: part.citations.map((each) => within(part.text, each)) }))
  }

  image(): fc.Arbitrary<ImagePart> {
    const base64 = fc.record({
      type: fc.constant('base64' as const),
      mediaType: fc.constantFrom('image/png', 'image/jpeg', 'image/gif', 'image/webp'),
      data: fc
        .uint8Array({ minLength: 3, maxLength: 12 })
        .map((bytes) => Buffer.from(bytes).toString('base64')),
    })
    const url = fc.record({
      ...constants({ type: 'url', mediaType: null }),
      url: address(),
    })
    return fc.record({
      type: fc.constant('image' as const),
      source: this.has('url-images') ? fc.oneof(base64, url) : base64,
      detail: this.when('image-details', fc.constantFrom('auto', 'low', 'high', 'original', null), null),
      cache: this.cache(),
    })
  }

  thinking(): fc.Arbitrary<ThinkingPart> {
    const proof = this.proof('thinking')
    const open = fc.record({
      ...constants({ type: 'thinking', isRedacted: false }),
      text: words(),
      proof: this.has('unsigned-thinking') ? fc.option(proof) : proof,
    })
    const redacted = fc.record({ ...constants({ type: 'thinking', isRedacted: true, text: '' }), proof })
    return this.has('redacted-thinking') ? fc.oneof({ weight: 3, arbitrary: open }, redacted) : open
  }

  refusal(): fc.Arbitrary<RefusalPart> {
    return fc.record({ type: fc.constant('refusal' as const), text: words() })
  }

  /** A call of one of these tools. Its id is a placeholder: the collector of the calls numbers them. */
  toolCall(tools: readonly CallableTool[]): fc.Arbitrary<ToolCallPart> {
    return fc.constantFrom(...tools).chain(({ type, name, namespace }) =>
      fc.record({
        ...constants({ type: 'tool-call', id: '', name, kind: type, namespace }),
        input: type === 'function' ? jsonInput() : words(),
        proof: this.when('call-proofs', fc.option(this.proof('tool-call')), null),
      }),
    )
  }
}

export interface CallableTool {
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly namespace: string | null
}

// Made once: building string generators for every value would be slow.
const WORDS = fc
  .oneof(
    fc.constantFrom('a', 'data: [DONE]', '"\\', 'line\nbreak', 'tab\tand\r\nreturn', '😀é漢', '{"a":'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .filter((text) => text !== '' && text.trim() === text)
const TOOL_NAME = fc
  .string({ unit: fc.constantFrom('a', 'b', 'z', '_', '7'), maxLength: 6 })
  .map((rest) => `t${rest}`)
const ADDRESS = fc.nat(999).map((page) => `https://pages.example/${page}?q=a%20b#part`)

/** Text with all that streams and escapes stumble over, but no white space at its ends, which some formats trim. */
export function words(): fc.Arbitrary<string> {
  return WORDS
}

export function toolName(): fc.Arbitrary<string> {
  return TOOL_NAME
}

function address(): fc.Arbitrary<string> {
  return ADDRESS
}

/** Compact JSON of an object that parsing and writing again does not change. */
export function jsonInput(): fc.Arbitrary<string> {
  return fc
    .dictionary(fc.constantFrom('city', 'count', 'deep', 'é "q"'), fc.jsonValue({ maxDepth: 2 }))
    .map((value) => JSON.stringify(JSON.parse(JSON.stringify(value))))
}

export function jsonSchema(): fc.Arbitrary<Record<string, unknown>> {
  const property = fc.constantFrom<Record<string, unknown>>(
    { type: 'string' },
    { type: 'integer', minimum: 0 },
    { type: 'array', items: { type: 'string' } },
  )
  return fc
    .dictionary(toolName(), property, { minKeys: 1, maxKeys: 3 })
    .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) }))
}

/** One constant arbitrary per member, with literal types kept. */
export function constants<const Members extends Readonly<Record<string, unknown>>>(
  members: Members,
): { [Name in keyof Members]: fc.Arbitrary<Members[Name]> } {
  const entries = Object.entries(members).map(([name, value]) => [name, fc.constant(value)])
  return Object.fromEntries(entries) as { [Name in keyof Members]: fc.Arbitrary<Members[Name]> }
}

function citation(): fc.Arbitrary<Citation> {
  return fc.record({
    ...constants({ citedText: null }),
    url: address(),
    title: fc.option(words()),
    start: fc.nat(20),
    end: fc.nat(20),
  })
}

function within(text: string, { start, end, ...rest }: Citation): Citation {
  const from = Math.min(start ?? 0, text.length - 1)
  return { ...rest, start: from, end: Math.min(text.length, from + 1 + (end ?? 0)) }
}
