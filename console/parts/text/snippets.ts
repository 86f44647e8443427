/** Ready-to-paste calls to the gateway. */

import { curlJson, KEY_VARIABLE as VARIABLE } from '../code/literals.ts'
import { writeTaskCode } from '../code/task-code.ts'
import { exampleCall, TASK_KINDS, type TaskKind } from '../wire/task-call.ts'

/** The kinds of models that have snippets of their own. A text model is preferred as an example. */
export const SNIPPET_KINDS = ['text', 'image', ...TASK_KINDS] as const
export type SnippetKind = (typeof SNIPPET_KINDS)[number]

export interface SnippetQuestion {
  /** The gateway's address as seen by the browser. */
  readonly baseUrl: string
  /** If null, the code reads it from the environment. */
  readonly secret: string | null
  readonly model: string
  readonly kind: SnippetKind
}

export interface SnippetBlock {
  readonly title: string
  readonly code: string
}

export interface Snippet {
  readonly id: string
  readonly label: string
  readonly blocks: readonly SnippetBlock[]
  readonly note?: string
}

const GREETING = 'Hello!'
const IMAGE_PROMPT = 'A lighthouse at dawn'

export function writeSnippets(question: SnippetQuestion): Snippet[] {
  const { kind } = question
  const names = namesOf(question)
  if (kind === 'image') return [curlImage(names), openAiImage(names)]
  if (kind !== 'text') return writeTaskSnippets(question, kind)
  return [
    curl(names),
    openAi(names),
    anthropic(names),
    google(names),
    claudeCode(names),
    codex(names),
    geminiCli(names),
  ]
}

function writeTaskSnippets({ baseUrl, secret, model }: SnippetQuestion, kind: TaskKind): Snippet[] {
  const { curl, python, typescript, sdk } = writeTaskCode(exampleCall(kind, model), { baseUrl, secret })
  return [
    { id: 'curl', label: 'curl', blocks: [{ title: 'Terminal', code: curl }] },
    {
      ...sdk,
      blocks: [
        { title: 'Python', code: python },
        { title: 'TypeScript', code: typescript },
      ],
    },
  ]
}

/** The values of a snippet, quoted for their context. */
interface Names {
  readonly baseUrl: string
  readonly model: string
  /** As a JSON string, which is also valid in Python, TypeScript and TOML. */
  readonly quotedModel: string
  readonly shellModel: string
  readonly shellKey: string
  readonly pythonKey: string
  readonly scriptKey: string
  readonly pythonImports: string
}

function namesOf({ baseUrl, secret, model }: SnippetQuestion): Names {
  return {
    baseUrl,
    model,
    quotedModel: JSON.stringify(model),
    shellModel: quoteForShell(model),
    shellKey: secret ?? `$${VARIABLE}`,
    pythonKey: secret === null ? `os.environ["${VARIABLE}"]` : JSON.stringify(secret),
    scriptKey: secret === null ? `process.env.${VARIABLE}` : JSON.stringify(secret),
    pythonImports: secret === null ? 'import os\n' : '',
  }
}

export function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function curl({ baseUrl, model, shellKey }: Names): Snippet {
  const body = { model, messages: [{ role: 'user', content: GREETING }] }
  return { id: 'curl', label: 'curl', blocks: [curlBlock(`${baseUrl}/v1/chat/completions`, body, shellKey)] }
}

function curlImage({ baseUrl, model, shellKey }: Names): Snippet {
  const body = { model, prompt: IMAGE_PROMPT }
  return {
    id: 'curl',
    label: 'curl',
    blocks: [curlBlock(`${baseUrl}/v1/images/generations`, body, shellKey)],
  }
}

function curlBlock(url: string, body: object, key: string): SnippetBlock {
  return { title: 'Terminal', code: curlJson({ url, key, fields: body }) }
}

function openAi({ baseUrl, quotedModel, pythonKey, scriptKey, pythonImports }: Names): Snippet {
  return {
    id: 'openai',
    label: 'OpenAI SDK',
    blocks: [
      {
        title: 'Python',
        code: `${pythonImports}from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=${pythonKey})
answer = client.chat.completions.create(
    model=${quotedModel},
    messages=[{"role": "user", "content": "${GREETING}"}],
)
print(answer.choices[0].message.content)`,
      },
      {
        title: 'TypeScript',
        code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: ${scriptKey} })
const answer = await client.chat.completions.create({
  model: ${quotedModel},
  messages: [{ role: 'user', content: '${GREETING}' }],
})
console.log(answer.choices[0].message.content)`,
      },
    ],
  }
}

function openAiImage({ baseUrl, quotedModel, pythonKey, scriptKey, pythonImports }: Names): Snippet {
  return {
    id: 'openai',
    label: 'OpenAI SDK',
    blocks: [
      {
        title: 'Python',
        code: `${pythonImports}from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=${pythonKey})
images = client.images.generate(model=${quotedModel}, prompt="${IMAGE_PROMPT}")
print(images.data[0])`,
      },
      {
        title: 'TypeScript',
        code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: ${scriptKey} })
const images = await client.images.generate({ model: ${quotedModel}, prompt: '${IMAGE_PROMPT}' })
console.log(images.data?.[0])`,
      },
    ],
  }
}

function anthropic({ baseUrl, quotedModel, pythonKey, scriptKey, pythonImports }: Names): Snippet {
  return {
    id: 'anthropic',
    label: 'Anthropic SDK',
    note: 'Leave out /v1 at the end of the address: the SDK adds it.',
    blocks: [
      {
        title: 'Python',
        code: `${pythonImports}from anthropic import Anthropic

client = Anthropic(base_url="${baseUrl}", api_key=${pythonKey})
answer = client.messages.create(
    model=${quotedModel},
    max_tokens=1024,
    messages=[{"role": "user", "content": "${GREETING}"}],
)
print(answer.content)`,
      },
      {
        title: 'TypeScript',
        code: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${baseUrl}', apiKey: ${scriptKey} })
const answer = await client.messages.create({
  model: ${quotedModel},
  max_tokens: 1024,
  messages: [{ role: 'user', content: '${GREETING}' }],
})
console.log(answer.content)`,
      },
    ],
  }
}

function google({ baseUrl, quotedModel, pythonKey, scriptKey, pythonImports }: Names): Snippet {
  return {
    id: 'google',
    label: 'Google SDK',
    note: 'Leave out /v1beta at the end of the address: the SDK adds it.',
    blocks: [
      {
        title: 'Python',
        code: `${pythonImports}from google import genai

client = genai.Client(api_key=${pythonKey}, http_options={"base_url": "${baseUrl}"})
answer = client.models.generate_content(model=${quotedModel}, contents="${GREETING}")
print(answer.text)`,
      },
      {
        title: 'TypeScript',
        code: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({ apiKey: ${scriptKey}, httpOptions: { baseUrl: '${baseUrl}' } })
const answer = await client.models.generateContent({ model: ${quotedModel}, contents: '${GREETING}' })
console.log(answer.text)`,
      },
    ],
  }
}

function claudeCode({ baseUrl, shellModel, shellKey }: Names): Snippet {
  return {
    id: 'claude-code',
    label: 'Claude Code',
    note: 'The second model runs small background tasks. A smaller one is cheaper.',
    blocks: [
      {
        title: 'Terminal',
        code: `export ANTHROPIC_BASE_URL=${baseUrl}
export ANTHROPIC_AUTH_TOKEN=${shellKey}
export ANTHROPIC_MODEL=${shellModel}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${shellModel}
claude`,
      },
    ],
  }
}

function codex({ baseUrl, quotedModel, shellKey }: Names): Snippet {
  const terminal = shellKey.startsWith('$') ? 'codex' : `export ${VARIABLE}=${shellKey}\ncodex`
  return {
    id: 'codex',
    label: 'Codex',
    blocks: [
      {
        title: '~/.codex/config.toml',
        code: `model = ${quotedModel}
model_provider = "turnpike"

[model_providers.turnpike]
name = "Turnpike"
base_url = "${baseUrl}/v1"
env_key = "${VARIABLE}"
wire_api = "responses"`,
      },
      { title: 'Terminal', code: terminal },
    ],
  }
}

function geminiCli({ baseUrl, shellModel, shellKey }: Names): Snippet {
  return {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    blocks: [
      {
        title: '~/.gemini/settings.json',
        code: `{
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}`,
      },
      {
        title: 'Terminal',
        code: `export GOOGLE_GEMINI_BASE_URL=${baseUrl}
export GEMINI_API_KEY=${shellKey}
export GEMINI_MODEL=${shellModel}
gemini`,
      },
    ],
  }
}
