import type { GivenImage } from '../../images/make-images.ts'
import { Refusal } from '../../refusal.ts'
import type { Form, FormValue } from '../face.ts'
import { refuseMissing } from '../openai-style.ts'

/** A form taken apart: the words as fields like those of a JSON body, and the files. */
export interface ReadForm {
  readonly fields: Readonly<Record<string, unknown>>
  readonly sources: readonly GivenImage[]
  readonly mask: GivenImage | null
}

const MOST_IMAGES = 16
const LARGEST_IMAGE_BYTES = 50 * 1024 * 1024
const FILE_FIELDS = ['image', 'image[]', 'mask']

export function readForm(body: unknown): ReadForm {
  if (!(body instanceof Map)) throw new Refusal('bad-request', 'The body must be multipart/form-data.')
  const form: Form = body
  const files = (name: string, field: string) => (form.get(name) ?? []).map((value) => readFile(value, field))
  const sources = [...files('image', 'image'), ...files('image[]', 'image')]
  if (sources.length === 0) throw refuseMissing('image')
  if (sources.length > MOST_IMAGES)
    throw refuse(`Too many images: ${sources.length}. At most ${MOST_IMAGES} are taken.`, 'image')
  const [mask = null, ...moreMasks] = files('mask', 'mask')
  if (moreMasks.length > 0) throw refuse("Duplicate parameter: 'mask'.", 'mask')
  return { fields: readFields(form), sources, mask }
}

function readFields(form: Form): Readonly<Record<string, unknown>> {
  const fields = [...form].filter(([name]) => !FILE_FIELDS.includes(name))
  return Object.fromEntries(fields.map(([name, values]) => [name, readField(name, values)]))
}

function readField(name: string, [value, ...more]: readonly FormValue[]): unknown {
  if (more.length > 0) throw refuse(`Duplicate parameter: '${name}'.`, name)
  if (typeof value !== 'string') throw refuse(`Invalid type for '${name}': expected text, got a file.`, name)
  // A form has only text, so what looks like a number or a truth value is read as one.
  if (name === 'prompt' || name === 'user' || name === 'model') return value
  if (/^-?\d{1,9}$/.test(value)) return Number(value)
  return value === 'true' || value === 'false' ? value === 'true' : value
}

function readFile(value: FormValue, field: string): GivenImage {
  if (typeof value === 'string')
    throw refuse(`Invalid type for '${field}': expected a file, got text.`, field)
  if (value.bytes.length > LARGEST_IMAGE_BYTES)
    throw refuse(`Invalid image file '${field}': it is larger than 50 MB.`, field)
  return { field, bytes: value.bytes }
}

function refuse(message: string, field: string): Refusal {
  return new Refusal('bad-request', message, { field })
}
