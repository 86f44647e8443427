import type { Supplier } from '../../vocabulary/supply.ts'
import type { Quirks, QuirksByFormat } from '../supplier-type.ts'

/** A vendor of the OpenAI-compatible kind. Where each fact comes from is in docs/suppliers/quirks.md. */
export interface Vendor {
  readonly name: string
  /** Hosts of its service; `.x` stands for every host under x, `:1` for a port that only it uses. */
  readonly hosts: readonly string[]
  readonly quirks: QuirksByFormat
}

const NO_QUIRKS: Quirks = {
  traits: {},
  takesMessageNames: true,
  refuses: [],
  ignores: [],
  renames: {},
  isRetold: false,
}

function chat(quirks: Partial<Quirks>): QuirksByFormat {
  return { 'chat-completion': { ...NO_QUIRKS, ...quirks } }
}

const TO_MAX_TOKENS = { max_completion_tokens: 'max_tokens' } as const

export const VENDORS: readonly Vendor[] = [
  {
    name: 'deepseek',
    hosts: ['api.deepseek.com'],
    quirks: chat({
      traits: {
        developerRole: false,
        structured: 'json',
        maxChoices: 1,
        maxTokensField: 'max_tokens',
        needsReasoningContent: true,
      },
      renames: TO_MAX_TOKENS,
      isRetold: true,
    }),
  },
  {
    name: 'mistral',
    hosts: ['api.mistral.ai', 'codestral.mistral.ai'],
    quirks: chat({
      traits: { developerRole: false, logprobs: false, maxTokensField: 'max_tokens' },
      refuses: [
        'logit_bias',
        'user',
        'safety_identifier',
        'store',
        'service_tier',
        'verbosity',
        'top_k',
        'prompt_cache_options',
        'prompt_cache_retention',
        'modalities',
      ],
      ignores: ['stream_options'],
      renames: { ...TO_MAX_TOKENS, seed: 'random_seed' },
      isRetold: true,
    }),
  },
  {
    name: 'groq',
    hosts: ['api.groq.com'],
    quirks: chat({
      traits: { logprobs: false, maxChoices: 1 },
      takesMessageNames: false,
      refuses: ['logit_bias'],
      isRetold: true,
    }),
  },
  {
    name: 'xai',
    hosts: ['api.x.ai', '.api.x.ai'],
    quirks: chat({
      traits: { penalties: false, stop: false },
      refuses: ['presence_penalty', 'frequency_penalty'],
    }),
  },
  {
    name: 'together',
    hosts: ['api.together.xyz', 'api.together.ai'],
    quirks: chat({ isRetold: true }),
  },
  {
    name: 'ollama',
    hosts: ['ollama.com', ':11434'],
    quirks: chat({
      traits: { maxChoices: 1, maxTokensField: 'max_tokens' },
      renames: TO_MAX_TOKENS,
      isRetold: true,
    }),
  },
  { name: 'vllm', hosts: [], quirks: chat({ isRetold: true }) },
  {
    name: 'moonshot',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    quirks: chat({ traits: { needsReasoningContent: true }, isRetold: true }),
  },
  { name: 'fireworks', hosts: ['api.fireworks.ai', '.api.fireworks.ai'], quirks: chat({ isRetold: true }) },
  {
    name: 'cerebras',
    hosts: ['api.cerebras.ai'],
    quirks: chat({
      traits: { developerRole: false, penalties: false },
      refuses: ['presence_penalty', 'frequency_penalty', 'logit_bias'],
      isRetold: true,
    }),
  },
  { name: 'gemini', hosts: ['generativelanguage.googleapis.com'], quirks: chat({ isRetold: true }) },
  // For any other server whose answers need mending.
  { name: 'untidy', hosts: [], quirks: chat({ isRetold: true }) },
  // For a server at a vendor's address that has none of its quirks.
  { name: 'plain', hosts: [], quirks: {} },
]

const OTHER_NAMES: Readonly<Record<string, string>> = { kimi: 'moonshot', grok: 'xai' }

/** The vendor an operator has named, else the one whose host it is; null for all the others, which have no quirks. */
export function vendorOf({ options, baseUrl }: Pick<Supplier, 'options' | 'baseUrl'>): Vendor | null {
  const named = options.vendor?.toLowerCase()
  if (named !== undefined) return vendorNamed(named)
  if (!URL.canParse(baseUrl)) return null
  const url = new URL(baseUrl)
  return VENDORS.find(({ hosts }) => hosts.some((host) => isAt(url, host))) ?? null
}

export function vendorNamed(name: string): Vendor | null {
  const official = OTHER_NAMES[name] ?? name
  return VENDORS.find((vendor) => vendor.name === official) ?? null
}

function isAt({ hostname, port }: URL, host: string): boolean {
  if (host.startsWith(':')) return port === host.slice(1)
  return host.startsWith('.') ? hostname.endsWith(host) : hostname === host
}
