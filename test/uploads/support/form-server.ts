import { mkdirSync } from 'node:fs'
import { type HttpServer, startServer } from '../../../src/edges/http-server/serve.ts'
import { createFormReader } from '../../../src/edges/uploads/read-form.ts'
import { UploadFolder } from '../../../src/edges/uploads/upload-folder.ts'
import type { Endpoint, Exchange } from '../../../src/serve/ports/exchange.ts'
import type { UploadRules } from '../../../src/serve/ports/uploads.ts'

const MEBIBYTE = 1024 * 1024

const RULES: UploadRules = {
  maxFiles: 4,
  maxBytesPerFile: 40 * MEBIBYTE,
  content: { type: 'image', maxPixels: 100_000_000 },
  maxFields: 10,
  maxFieldBytes: 10_000,
  fileFields: ['image', 'mask'],
}

export interface FormServerOptions {
  readonly folder: string
  readonly timeoutMs?: number
  readonly endpoints?: readonly Endpoint[]
}

/** A server that reads forms as the gateway does, and answers with what it read. */
export function startFormServer({
  folder,
  timeoutMs = 10_000,
  endpoints = [],
}: FormServerOptions): HttpServer {
  mkdirSync(folder, { recursive: true })
  const maxBytes = 64 * MEBIBYTE
  return startServer({
    hostname: '127.0.0.1',
    port: 0,
    endpoints: [{ method: 'POST', path: '/form', handle: takeForm }, ...endpoints],
    bodyLimits: { maxBytes: MEBIBYTE, timeoutMs },
    readForm: createFormReader({ folder: UploadFolder.open(folder, 32 * maxBytes), maxBytes, timeoutMs }),
    clock: { nowMs: () => Date.now() },
    log: {
      request: () => undefined,
      attemptFailed: () => undefined,
      notice: () => undefined,
      trouble: (what, error) => console.error(what, error),
    },
  })
}

async function takeForm(exchange: Exchange): Promise<Response> {
  const form = await exchange.readForm(RULES)
  try {
    const images = await Promise.all(
      form.images.map(async ({ content, ...facts }) => ({ ...facts, sha256: await hashOf(content) })),
    )
    return Response.json({ fields: form.fields, images })
  } finally {
    await form.dispose()
  }
}

/** Reads the content as a stream, as relaying does. */
async function hashOf(content: Blob): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of content.stream()) hash.update(chunk)
  return hash.digest('hex')
}
