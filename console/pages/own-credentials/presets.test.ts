import { expect, test } from 'bun:test'
import { SUPPLIER_TYPES_SERVED } from '../../../src/suppliers/index.ts'
import { PRESETS, type Preset, settingsOf, suggestId } from './presets.ts'

function presetOf(id: string): Preset {
  const preset = PRESETS.find((each) => each.id === id)
  if (preset === undefined) throw new Error(id)
  return preset
}

test('suggests ids of letters, digits and hyphens', () => {
  expect(suggestId(presetOf('openai'), 'Acme & Söhne GmbH')).toBe('acme-s-hne-gmbh-openai')
  expect(suggestId(presetOf('google'), '!!!')).toBe('google')
})

test('uses the entered address only for the preset without one', () => {
  expect(settingsOf(presetOf('anthropic'), 'https://evil.example').base_url).toBe('https://api.anthropic.com')
  expect(settingsOf(presetOf('other'), ' https://llm.example/v1 ')).toEqual({
    type: 'openai-compatible',
    base_url: 'https://llm.example/v1',
    formats: ['chat-completion'],
    enabled: true,
  })
})

test('offers every format of each vendor, at the vendor’s address', () => {
  for (const { settings } of PRESETS) {
    if (settings === null) continue
    const type = SUPPLIER_TYPES_SERVED.find(({ name }) => name === settings.type)
    expect({ type: settings.type, formats: [...(settings.formats ?? [])].toSorted() }).toEqual({
      type: settings.type,
      formats: [...(type?.formats ?? [])].toSorted(),
    })
    expect(settings.base_url).toBe(type?.exampleUrl ?? '')
  }
})
