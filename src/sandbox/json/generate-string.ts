import { takeCharacters } from '../performance/tokens.ts'
import type { Place, Schema } from './schema.ts'

const LONGEST_TOPIC = 200

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** What a property of this name usually holds. */
const NAMED: readonly (readonly [name: RegExp, value: string])[] = [
  [/city|location|place|destination/i, 'Paris'],
  [/country/i, 'France'],
  [/email/i, 'ada@example.com'],
  [/url|link|website/i, 'https://example.com/'],
  [/date|day/i, '2026-01-15'],
  [/path|file/i, 'notes.txt'],
  [/currency/i, 'EUR'],
  [/language/i, 'en'],
  [/name|person|author/i, 'Ada Lovelace'],
]

const TOPICAL = /query|question|prompt|text|input|message|search|command|content|answer|reply|summary/i

export function generateString(schema: Schema, place: Place): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
  if (format !== undefined) return format
  const base = suggest(place)
  return fitLength(place.index === 0 ? base : `${base} ${place.index + 1}`, schema)
}

function suggest({ name, topic }: Place): string {
  const known = NAMED.find(([pattern]) => pattern.test(name))
  if (known !== undefined) return known[1]
  if (TOPICAL.test(name) && topic !== '') return takeCharacters(topic, LONGEST_TOPIC)
  return name === '' ? 'sample' : `sample ${name}`
}

function fitLength(text: string, schema: Schema): string {
  const shortest = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 100_000) : 0
  const longest =
    typeof schema.maxLength === 'number' ? Math.max(0, schema.maxLength) : Number.POSITIVE_INFINITY
  return takeCharacters(text.padEnd(shortest, '.'), longest)
}
