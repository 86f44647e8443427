import { GatewayError } from '../../errors/gateway-error.ts'

const DOUBLED = /^\/(v1|v1beta)\/\1(\/|$)/

/** The error for a path that does not exist. It says so when an official SDK has a method for the path. */
export function unknownPath(path: string): GatewayError {
  const doubled = DOUBLED.exec(path)?.[1]
  if (doubled !== undefined) {
    const advice =
      'Set the base URL with one "/v1" for OpenAI-style SDKs, and without any version for the messages and content-generation SDKs.'
    return new GatewayError(
      'not_found',
      `The path begins with /${doubled} twice, so the base URL is wrong. ${advice}`,
    )
  }
  const shown = JSON.stringify(path.slice(0, 200))
  const absent = findAbsent(path)
  if (absent === undefined)
    return new GatewayError('not_found', `There is nothing at ${shown}. The endpoints are listed at /docs.`)
  const [name, advice] = absent
  return new GatewayError(
    'not_found',
    `There is nothing at ${shown}: this gateway does not have ${name}.${advice === undefined ? '' : ` ${advice}`}`,
  )
}

const SEND_FILES = 'Send files within the request, in Base64 or by URL.'
const SEND_ONE_BY_ONE = 'Send the requests one by one.'
const USE_RESPONSES = 'Use POST /v1/responses with conversations instead.'

type Absent = readonly [name: string, advice?: string]

/** What official SDKs have methods for and this gateway has not, by the beginning of the path. */
const ABSENT: Readonly<Record<string, Absent>> = {
  '/v1/images/variations': ['image variations', 'Use POST /v1/images/edits with a prompt instead.'],
  '/v1/files': ['files', SEND_FILES],
  '/v1/uploads': ['uploads', SEND_FILES],
  '/v1/batches': ['batches', SEND_ONE_BY_ONE],
  '/v1/messages/batches': ['batches', SEND_ONE_BY_ONE],
  '/v1/fine_tuning': ['fine-tuning'],
  '/v1/vector_stores': ['vector stores'],
  '/v1/assistants': ['assistants', USE_RESPONSES],
  '/v1/threads': ['threads', USE_RESPONSES],
  '/v1/realtime': ['realtime sessions'],
  '/v1/videos': ['videos'],
  '/v1/evals': ['evals'],
  '/v1/containers': ['containers'],
  '/v1/skills': ['skills'],
  '/v1/chatkit': ['ChatKit sessions'],
  '/v1/complete': ['the text completions of the messages family', 'Use POST /v1/messages instead.'],
  '/v1beta/files': ['files', SEND_FILES],
  '/upload/v1beta/files': ['files', SEND_FILES],
  '/v1beta/cachedContents': ['cached contents', 'Suppliers cache prompts by themselves where they can.'],
  '/v1beta/batches': ['batches', SEND_ONE_BY_ONE],
  '/v1beta/corpora': ['corpora'],
  '/v1beta/fileSearchStores': ['file search stores'],
}

/** No entry has more segments than this. */
const MAX_SEGMENTS = 3

function findAbsent(path: string): Absent | undefined {
  // Only the beginning is looked at: a path may be long.
  const segments = path
    .slice(0, 200)
    .split('/')
    .slice(1, 1 + MAX_SEGMENTS)
  for (let length = segments.length; length > 1; length--) {
    const beginning = `/${segments.slice(0, length).join('/')}`
    if (Object.hasOwn(ABSENT, beginning)) return ABSENT[beginning]
  }
  return undefined
}
