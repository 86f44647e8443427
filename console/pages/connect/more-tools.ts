import { quoteForShell, type Snippet } from '../../parts/text/snippets.ts'

/** The values that program settings contain. */
export interface ToolQuestion {
  readonly baseUrl: string
  readonly key: string
  readonly model: string
}

/** Programs in addition to those shown with every key. */
export function writeMoreTools({ baseUrl, key, model }: ToolQuestion): Snippet[] {
  const [quotedKey, quotedModel] = [JSON.stringify(key), JSON.stringify(model)]
  return [
    {
      id: 'ai-sdk',
      label: 'AI SDK',
      note: 'You can use any of these three providers. Each uses a different format, and all of them work with every model.',
      blocks: [
        {
          title: 'OpenAI provider',
          code: `import { createOpenAI } from '@ai-sdk/openai'
import { generateText } from 'ai'

const turnpike = createOpenAI({ baseURL: '${baseUrl}/v1', apiKey: ${quotedKey} })
const { text } = await generateText({ model: turnpike(${quotedModel}), prompt: 'Hello!' })`,
        },
        {
          title: 'Anthropic provider',
          code: `import { createAnthropic } from '@ai-sdk/anthropic'

const turnpike = createAnthropic({ baseURL: '${baseUrl}/v1', apiKey: ${quotedKey} })`,
        },
        {
          title: 'Google provider',
          code: `import { createGoogleGenerativeAI } from '@ai-sdk/google'

const turnpike = createGoogleGenerativeAI({ baseURL: '${baseUrl}/v1beta', apiKey: ${quotedKey} })`,
        },
      ],
    },
    {
      id: 'langchain',
      label: 'LangChain',
      blocks: [
        {
          title: 'Python',
          code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(base_url="${baseUrl}/v1", api_key=${quotedKey}, model=${quotedModel})
print(model.invoke("Hello!").content)`,
        },
        {
          title: 'TypeScript',
          code: `import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({
  model: ${quotedModel},
  apiKey: ${quotedKey},
  configuration: { baseURL: '${baseUrl}/v1' },
})
console.log((await model.invoke('Hello!')).content)`,
        },
      ],
    },
    {
      id: 'aider',
      label: 'aider',
      note: 'The prefix openai/ tells aider which format to use.',
      blocks: [
        {
          title: 'Terminal',
          code: `export OPENAI_API_BASE=${baseUrl}/v1
export OPENAI_API_KEY=${key}
aider --model ${quoteForShell(`openai/${model}`)}`,
        },
      ],
    },
    {
      id: 'continue',
      label: 'Continue',
      blocks: [
        {
          title: '~/.continue/config.yaml',
          code: `name: Turnpike
version: 1.0.0
schema: v1
models:
  - name: Turnpike
    provider: openai
    model: ${quotedModel}
    apiBase: ${baseUrl}/v1
    apiKey: ${quotedKey}`,
        },
      ],
    },
    {
      id: 'cline',
      label: 'Cline',
      note: 'In the extension’s settings, choose the API provider “OpenAI Compatible” and enter these values.',
      blocks: [
        { title: 'Base URL', code: `${baseUrl}/v1` },
        { title: 'API key', code: key },
        { title: 'Model ID', code: model },
      ],
    },
    {
      id: 'cursor',
      label: 'Cursor',
      note: 'In Settings, Models: enter the OpenAI API key, turn on “Override OpenAI Base URL” and add the model by name. Cursor calls the address from its own servers, so it must be reachable from the internet.',
      blocks: [
        { title: 'Override OpenAI Base URL', code: `${baseUrl}/v1` },
        { title: 'OpenAI API key', code: key },
        { title: 'Model', code: model },
      ],
    },
    {
      id: 'open-webui',
      label: 'Open WebUI',
      note: 'You can also set these later under Admin Settings, Connections, OpenAI API. Inside a container, 127.0.0.1 is the container itself, so use the address of this machine.',
      blocks: [
        {
          title: 'Environment',
          code: `OPENAI_API_BASE_URL=${baseUrl}/v1
OPENAI_API_KEY=${key}`,
        },
      ],
    },
  ]
}
