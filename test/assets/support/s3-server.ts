import { AwsV4Signer } from 'aws4fetch'

export const S3_KEYS = { accessKeyId: 'AKIDFORTESTS', secretAccessKey: 'secret-for-tests' } as const
export const S3_REGION = 'eu-test-1'

/** An S3-compatible store in memory that, like a real one, refuses what is not signed with its keys. */
export interface S3Server {
  readonly url: string
  readonly objects: Map<string, { readonly content: Uint8Array; readonly type: string }>
  /** Status of each call, by method and key. */
  readonly calls: string[]
  stop(): Promise<void>
}

export function startS3Server(bucket: string): S3Server {
  const objects: S3Server['objects'] = new Map()
  const calls: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const url = new URL(request.url)
      const key = decodeURIComponent(url.pathname).replace(`/${bucket}/`, '')
      const response = (await isSigned(request))
        ? await answer(request, key, objects)
        : refuse(403, 'SignatureDoesNotMatch')
      calls.push(`${request.method} ${key} ${response.status}`)
      return response
    },
  })
  return { url: server.url.origin, objects, calls, stop: () => server.stop(true) }
}

/** Computes the signature that the request should have. */
async function isSigned(request: Request): Promise<boolean> {
  const given = request.headers.get('authorization') ?? ''
  const names = /SignedHeaders=([\w;-]+)/.exec(given)?.[1]?.split(';') ?? []
  const headers = new Headers()
  for (const name of names) if (name !== 'host') headers.set(name, request.headers.get(name) ?? '')
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers,
    ...S3_KEYS,
    service: 's3',
    region: S3_REGION,
    datetime: request.headers.get('x-amz-date') ?? '',
    allHeaders: true,
  })
  return (await signer.authHeader()) === given
}

async function answer(request: Request, key: string, objects: S3Server['objects']): Promise<Response> {
  const found = objects.get(key)
  switch (request.method) {
    case 'PUT':
      objects.set(key, {
        content: await request.bytes(),
        type: request.headers.get('content-type') ?? '',
      })
      return new Response()
    case 'DELETE':
      objects.delete(key)
      return new Response(null, { status: 204 })
    default:
      if (key === '') return list(new URL(request.url).searchParams, objects)
      if (found === undefined) return refuse(404, 'NoSuchKey')
      return new Response(new Uint8Array(found.content), { headers: { 'content-type': found.type } })
  }
}

function list(query: URLSearchParams, objects: S3Server['objects']): Response {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
  const listed = keys.slice(0, Number(query.get('max-keys') ?? 1_000))
  const contents = listed.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')
  const isTruncated = listed.length < keys.length
  return new Response(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`,
  )
}

function refuse(status: number, code: string): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, { status })
}
