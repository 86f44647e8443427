import type { ImageFile, ImageRequest } from '../../conversation/families/images.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../../validation/validation.ts'
import { EditRequestSchema, GenerationRequestSchema, type ImageFields } from './schema.ts'

const checkGeneration = compileCheck(GenerationRequestSchema)
const checkEdit = compileCheck(EditRequestSchema)

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(GenerationRequestSchema.properties),
  'image',
  'mask',
])

/** Checks and reads the body of a generation request. */
export function readGeneration(body: unknown): ImageRequest {
  const fields = checkGeneration(body)
  refuseAddresses(fields)
  refuseOtherSizes(fields)
  const others = Object.entries(fields).filter(([name]) => !KNOWN.has(name))
  return { ...requestOf(fields), edit: null, others }
}

/** A parsed form with files. */
export interface EditForm {
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly images: readonly (ImageFile & { readonly field: string })[]
}

/** Checks and reads the form of an edit request. */
export function readEdit(form: EditForm): ImageRequest {
  refuseTextForFiles(form.fields)
  refuseLists(form.fields)
  refuseDuplicates(form.fields)
  const values = Object.fromEntries(form.fields.map(([name, value]) => [name, typed(name, value)]))
  const fields: ImageFields = checkEdit(values)
  refuseAddresses(fields)
  refuseOtherSizes(fields)
  const pictures = form.images.filter(({ field }) => field === 'image')
  if (pictures.length === 0) throw refuse('image', 'image is required. Send the image to edit as a file.')
  const [mask = null, ...moreMasks] = form.images.filter(({ field }) => field === 'mask')
  if (moreMasks.length > 0) throw refuse('mask', 'mask may be given once.')
  const others = form.fields.filter(([name]) => !KNOWN.has(name) || name === 'style')
  return { ...requestOf({ ...fields, style: null }), edit: { pictures, mask }, others }
}

function requestOf(fields: ImageFields): Omit<ImageRequest, 'edit' | 'others'> {
  return {
    model: fields.model,
    prompt: fields.prompt,
    count: fields.n ?? null,
    size: fields.size ?? null,
    quality: fields.quality ?? null,
    style: fields.style ?? null,
    user: fields.user ?? null,
    stream: fields.stream === true,
    partialImages: fields.partial_images ?? null,
    wants: fields.response_format ? FORMS[fields.response_format] : null,
  }
}

const FORMS = { url: 'url', b64_json: 'base64' } as const

/** Form values are strings. A value of the wrong type stays a string and fails the check. */
function typed(name: string, value: string): unknown {
  if ((name === 'n' || name === 'partial_images') && /^\d{1,9}$/.test(value)) return Number(value)
  if (name === 'stream' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function refuseAddresses({ stream, response_format }: ImageFields): void {
  if (stream !== true || response_format !== 'url') return
  throw refuse('response_format', 'response_format must be "b64_json" when stream is true.')
}

const SIZE = /^(?:auto|[1-9]\d{0,4}x[1-9]\d{0,4})$/

function refuseOtherSizes({ size }: ImageFields): void {
  if (size === undefined || size === null || SIZE.test(size)) return
  throw refuse('size', 'size must be a width and a height in pixels such as "1024x1024", or "auto".')
}

function refuseTextForFiles(fields: EditForm['fields']): void {
  const found = fields.find(([name]) => /^(?:image|mask)(?:\[\d*\])?$/.test(name))
  if (found === undefined) return
  const name = found[0].replace(/\[.*$/, '')
  throw refuse(name, `${name} must be a file: send it with a file name.`)
}

/** A supplier could read `n[]` as another number than the one that was checked and charged. */
function refuseLists(fields: EditForm['fields']): void {
  for (const [name] of fields) {
    const bare = name.replace(/\[.*$/s, '')
    if (bare !== name && KNOWN.has(bare)) throw refuse(bare, `${bare} takes one value: send it as ${bare}.`)
  }
}

/** Two values for one field are ambiguous. */
function refuseDuplicates(fields: EditForm['fields']): void {
  const seen = new Set<string>()
  for (const [name] of fields) {
    if (seen.has(name) && !name.endsWith('[]')) {
      const shown = name.slice(0, 100)
      throw refuse(shown, `${shown} may be given once.`)
    }
    seen.add(name)
  }
}

function refuse(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param })
}
