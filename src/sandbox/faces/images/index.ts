import type { Face, ImageScene, Incoming } from '../face.ts'
import { encodeError, refuseKey } from '../openai-style.ts'
import { readBearer } from '../read-bearer.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeReply } from './encode-reply.ts'
import { readForm } from './read-form.ts'
import { checkRequest, type Operation } from './schema.ts'

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/v1/images/generations': 'generation',
  '/v1/images/edits': 'edit',
}

export const images: Face = {
  name: 'images',
  home: '/v1/images/',
  claims: (method, path) => method === 'POST' && path in OPERATIONS,
  takesForm: (path) => OPERATIONS[path] === 'edit',
  readKey: ({ headers }) => readBearer(headers),
  refuseKey,
  open: openScene,
  writeError: encodeError,
}

function openScene(incoming: Incoming): ImageScene {
  const { path, body, nowMs, keepImage } = incoming
  const operation = OPERATIONS[path] ?? 'generation'
  const { fields, sources, mask } =
    operation === 'edit' ? readForm(body) : { fields: body, sources: [], mask: null }
  const { request, dialect } = checkRequest(fields, operation, incoming.traitsOf)
  return {
    type: 'images',
    ask: decodeRequest(request, { sources, mask }),
    writeReply: (made) => encodeReply(made, { request, dialect, operation, nowMs, keepImage }),
  }
}
