import { decodePng, encodePng } from '../../src/sandbox/images/png.ts'
import type { TestGateway } from '../support/test-gateway.ts'

export interface Pixels {
  readonly width: number
  readonly height: number
  at(x: number, y: number): readonly number[]
}

/** A PNG whose every pixel is `[red, green, blue, alpha]` as the painter says. */
export function drawPng(
  { width, height }: { readonly width: number; readonly height: number },
  paint: (x: number, y: number) => readonly number[],
): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(paint(x, y), (y * width + x) * 4)
  }
  return encodePng({ width, height, pixels })
}

export function readPng(bytes: Uint8Array): Pixels {
  const { width, height, pixels } = decodePng(bytes)
  return { width, height, at: (x, y) => [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] }
}

export const SQUARE = { width: 256, height: 256 } as const

/** Every pixel another one, so that any change shows. */
export const PHOTO = drawPng(SQUARE, (x, y) => [x % 256, y % 256, (x + y) % 256, 255])
/** Its left half is to be changed. */
export const LEFT_MASK = drawPng(SQUARE, (x) => [0, 0, 0, x < 128 ? 0 : 255])

export function asFile(bytes: Uint8Array<ArrayBuffer>, name = 'image.png', type = 'image/png'): File {
  return new File([bytes], name, { type })
}

export interface Images {
  readonly created: number
  readonly data: readonly {
    readonly url?: string
    readonly b64_json?: string
    readonly revised_prompt?: string
  }[]
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number }
}

export interface Sending {
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Asks for images; what is not given is the smallest request there is. */
export function generate(
  { url }: Pick<TestGateway, 'url'>,
  fields: Readonly<Record<string, unknown>>,
  { key, headers, signal }: Sending,
): Promise<Response> {
  return fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'sandbox-image', prompt: 'a fox', size: '256x256', ...fields }),
    ...(signal && { signal }),
  })
}

export type FormField = readonly [name: string, value: string | File]

export const EDIT: readonly FormField[] = [
  ['model', 'sandbox-image'],
  ['prompt', 'a ship'],
  ['size', '256x256'],
]

export function edit(
  { url }: Pick<TestGateway, 'url'>,
  fields: readonly FormField[],
  { key, headers, signal }: Sending,
): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  return fetch(`${url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
    ...(signal && { signal }),
  })
}

/** The bytes of an image as the client got it. */
export async function bytesOf({ url, b64_json }: Images['data'][number]): Promise<Uint8Array> {
  if (b64_json !== undefined) return Buffer.from(b64_json, 'base64')
  const response = await fetch(url ?? '')
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response.bytes()
}

/** A model whose images come through another supplier, or under other rules, than the sandbox's own. */
export async function addImageModel(
  gateway: TestGateway,
  id: string,
  options: {
    readonly suppliers: readonly string[]
    readonly upstreamModel?: string
    readonly formats?: readonly string[]
    readonly images?: Readonly<Record<string, unknown>>
    readonly kinds?: readonly string[]
  },
): Promise<void> {
  const {
    suppliers,
    upstreamModel = 'sandbox-image',
    formats,
    images,
    kinds = ['image', 'image-edit'],
  } = options
  await gateway.operator('PUT', `/models/${id}`, {
    owned_by: 'tests',
    kinds,
    ...(images && { capabilities: { images } }),
  })
  for (const [index, supplier] of suppliers.entries()) {
    await gateway.operator('PUT', `/models/${id}/routes/${supplier}`, {
      upstream_model: upstreamModel,
      price: { input: '0', output: '0', image: '0.02' },
      priority: index + 1,
      enabled: true,
      ...(formats && { formats }),
    })
  }
}
