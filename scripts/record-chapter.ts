import type { AnyField } from '../src/vocabulary/field-codec.ts'
import type { AnyRecord } from '../src/vocabulary/records/record.ts'
import { wireName } from '../src/vocabulary/shape.ts'

/** A chapter of the operator guide about one kind of record. Its examples are those of the fields and work in this order. */
export function writeRecordChapter({ title, about, slug, shape, body, noun, inForce }: AnyRecord): string {
  const { id, ...settings }: Readonly<Record<string, unknown>> = shape.example
  const { required = [] } = body.schema as { required?: readonly string[] }
  const one = layOut(shape.example)
  const path = `/${slug}/${id}`
  const builtIn = inForce([]).map((value) => shape.show(value))
  const calls = [
    writeCall(`PUT /${slug}/{id}`, {
      says: `Creates or replaces a ${noun}. Required: ${required.map((name) => `\`${name}\``).join(', ')}.`,
      target: `${path} '${JSON.stringify(settings).replaceAll("'", "'\\''")}'`,
      answer: one,
    }),
    writeCall(`GET /${slug}`, {
      target: `/${slug}`,
      answer: layOut({ data: [...builtIn, shape.example], next_cursor: null }),
    }),
    writeCall(`GET /${slug}/{id}`, { target: path, answer: one }),
    writeCall(`DELETE /${slug}/{id}`, { target: path, answer: layOut({ id, deleted: true }) }),
  ]
  const fields = Object.entries(shape.fields).map(([name, field]) => writeField(name, field as AnyField))
  return `## ${title}\n\n${about}\n\n| Field | Meaning |\n|---|---|\n${fields.join('')}\n${calls.join('\n')}`
}

interface Call {
  readonly says?: string
  readonly target: string
  readonly answer: string
}

function writeCall(call: string, { says, target, answer }: Call): string {
  const [method] = call.split(' ')
  const sentence = says === undefined ? '' : `${says}\n\n`
  return `### ${call}\n\n${sentence}${fence('sh', `operator ${method} ${target}`)}\n${fence('json', answer)}`
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\`\n`
}

function layOut(value: object): string {
  return JSON.stringify(value, null, 2)
}

interface Described {
  readonly description?: string
  readonly takes?: string
  readonly anyOf?: readonly Described[]
}

function writeField(name: string, field: AnyField): string {
  const { description, takes, anyOf }: Described = field.codec.input
  const form = takes ?? anyOf?.find((either) => either.takes !== undefined)?.takes
  const meaning = [form, description].filter((part) => part !== undefined).join('. ')
  return `| \`${wireName(name, field)}\` | ${meaning} |\n`
}
