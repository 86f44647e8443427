import type { OwnSupplierPut } from '../../api/wire.ts'

export interface Preset {
  readonly id: string
  readonly label: string
  /** Where the vendor gives out keys, in words. */
  readonly keyHint: string
  /** null for an address that the person knows and we do not. */
  readonly settings: OwnSupplierPut | null
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'openai',
    label: 'OpenAI',
    keyHint: 'A secret key of your OpenAI project; it begins with sk-.',
    settings: {
      type: 'openai',
      base_url: 'https://api.openai.com/v1',
      formats: ['chat-completion', 'responses', 'images'],
      enabled: true,
    },
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    keyHint: 'An API key of your Anthropic workspace; it begins with sk-ant-.',
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
    keyHint: 'An API key of Google AI Studio.',
    settings: {
      type: 'google',
      base_url: 'https://generativelanguage.googleapis.com',
      formats: ['content-generation'],
      enabled: true,
    },
  },
  {
    id: 'other',
    label: 'Another that speaks chat completions',
    keyHint: 'The API key that the supplier gave you.',
    settings: null,
  },
]

/** What to save for a preset; `baseUrl` counts only for the one without an address of its own. */
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

/** An id for a supplier: names are shared by all accounts, so the account's own is part of it. */
export function suggestId(preset: Preset, accountName: string): string {
  const name = accountName.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `${name}-${preset.id}`.replace(/^-+|-+$/g, '').slice(0, ID_LENGTH)
}
