import type { OwnSupplierPut } from '../../api/wire.ts'

export interface Preset {
  readonly id: string
  readonly label: string
  /** Where to get a key, in words. */
  readonly keyHint: string
  /** Null if the user enters the address. */
  readonly settings: OwnSupplierPut | null
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'openai',
    label: 'OpenAI',
    keyHint: 'A secret key of your OpenAI project, which begins with sk-.',
    settings: {
      type: 'openai',
      base_url: 'https://api.openai.com/v1',
      formats: [
        'chat-completion',
        'responses',
        'images',
        'completions',
        'embeddings',
        'moderations',
        'transcriptions',
        'speech',
      ],
      enabled: true,
    },
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    keyHint: 'An API key of your Anthropic workspace, which begins with sk-ant-.',
    settings: {
      type: 'anthropic',
      base_url: 'https://api.anthropic.com',
      formats: ['messages'],
      enabled: true,
    },
  },
  {
    id: 'google',
    label: 'Google Gemini',
    keyHint: 'An API key from Google AI Studio.',
    settings: {
      type: 'google',
      base_url: 'https://generativelanguage.googleapis.com',
      formats: ['content-generation'],
      enabled: true,
    },
  },
  {
    id: 'cohere',
    label: 'Cohere (embeddings and rerank)',
    keyHint: 'An API key from the Cohere dashboard.',
    settings: {
      type: 'cohere',
      base_url: 'https://api.cohere.com',
      formats: ['cohere', 'rerank'],
      enabled: true,
    },
  },
  {
    id: 'voyage',
    label: 'Voyage AI (embeddings and rerank)',
    keyHint: 'An API key from the Voyage AI dashboard.',
    settings: { type: 'voyage', base_url: 'https://api.voyageai.com/v1', formats: ['voyage'], enabled: true },
  },
  {
    id: 'other',
    label: 'Other (chat completions)',
    keyHint: 'Your API key at the supplier.',
    settings: null,
  },
]

/** What to save for a preset. `baseUrl` is used only by the preset without an address. */
export function settingsOf(preset: Preset, baseUrl: string): OwnSupplierPut {
  return (
    preset.settings ?? {
      type: 'openai-compatible',
      base_url: baseUrl.trim(),
      formats: ['chat-completion'],
      enabled: true,
    }
  )
}

const ID_LENGTH = 40

/** Supplier ids are global, so the suggestion includes the account's name. */
export function suggestId(preset: Preset, accountName: string): string {
  const name = accountName.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `${name}-${preset.id}`.replace(/^-+|-+$/g, '').slice(0, ID_LENGTH)
}
