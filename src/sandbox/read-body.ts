import type { CallRecord } from './call-log.ts'
import { Form } from './faces/form.ts'
import { Refusal } from './refusal.ts'

const LARGEST_KEPT_BODY = 256 * 1024

/** Reads a JSON body, and keeps it for the call log unless it is large. */
export async function readJson(request: Request, call: CallRecord): Promise<unknown> {
  const text = await request.text()
  const body = parseJson(text)
  if (text.length <= LARGEST_KEPT_BODY) call.body = body
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('bad-request', 'We could not parse the JSON body of your request.')
  }
}

/** Reads a multipart body. The call log gets its words, and of its files only the sizes. */
export async function readForm(request: Request, call: CallRecord): Promise<Form> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) {
    const message = `Unsupported content type: '${type}'. This method takes only 'multipart/form-data'.`
    throw new Refusal('bad-request', message, { code: 'unsupported_content_type' })
  }
  const form = await collect(await parseForm(request))
  call.body = form.describe()
  return form
}

type ParsedForm = Awaited<ReturnType<Request['formData']>>

async function parseForm(request: Request): Promise<ParsedForm> {
  try {
    return await request.formData()
  } catch {
    throw new Refusal('bad-request', 'We could not parse the multipart body of your request.')
  }
}

async function collect(parsed: ParsedForm): Promise<Form> {
  const form = new Form()
  for (const [name, value] of parsed) {
    if (typeof value === 'string') form.add(name, value)
    else form.add(name, { name: value.name, type: value.type, bytes: await value.bytes() })
  }
  return form
}
