import { keywords, script, KEY_VARIABLE as VARIABLE } from '../../parts/code/literals.ts'
import type { ChatFormat, Question } from '../../parts/wire/question.ts'
import { type WireRequest, writeRequest } from '../../parts/wire/write-request.ts'

export interface Code {
  readonly id: 'curl' | 'typescript' | 'python'
  readonly label: string
  readonly code: string
}

/** The request as code, with the SDK for its format. */
export function writeCode(question: Question, baseUrl: string): Code[] {
  const request = writeRequest(question)
  return [
    { id: 'curl', label: 'curl', code: writeCurl(question, request, baseUrl) },
    {
      id: 'typescript',
      label: 'TypeScript',
      code: scriptOf(question, TYPESCRIPT[question.format](question, baseUrl)),
    },
    { id: 'python', label: 'Python', code: pythonOf(question, PYTHON[question.format](question, baseUrl)) },
  ]
}

const KEY_HEADERS: Readonly<Record<ChatFormat, readonly string[]>> = {
  'chat-completion': [`Authorization: Bearer $${VARIABLE}`],
  responses: [`Authorization: Bearer $${VARIABLE}`],
  messages: [`x-api-key: $${VARIABLE}`, 'anthropic-version: 2023-06-01'],
  'content-generation': [`x-goog-api-key: $${VARIABLE}`],
}

function writeCurl({ format, isStreamed }: Question, request: WireRequest, baseUrl: string): string {
  const body = JSON.stringify(request.body, null, 2).replaceAll("'", `'\\''`)
  return [
    `curl${isStreamed ? ' -N' : ''} '${baseUrl}${request.path}' \\`,
    ...KEY_HEADERS[format].map((header) => `  -H "${header}" \\`),
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join('\n')
}

type Writer = (question: Question, baseUrl: string) => Lines

const TYPESCRIPT: Readonly<Record<ChatFormat, Writer>> = {
  'chat-completion': (question, baseUrl) => ({
    setUp: openAiScript(baseUrl),
    call: `client.chat.completions.create(${script(bodyOf(question))})`,
    whole: 'console.log(answer.choices[0].message.content)',
    part: "process.stdout.write(part.choices[0]?.delta?.content ?? '')",
  }),
  responses: (question, baseUrl) => ({
    setUp: openAiScript(baseUrl),
    call: `client.responses.create(${script(bodyOf(question))})`,
    whole: 'console.log(answer.output_text)',
    part: "if (part.type === 'response.output_text.delta') process.stdout.write(part.delta)",
  }),
  messages: (question, baseUrl) => ({
    setUp: `import Anthropic from '@anthropic-ai/sdk'\n\nconst client = new Anthropic({ baseURL: '${baseUrl}', apiKey: process.env.${VARIABLE} })`,
    call: `client.messages.create(${script(bodyOf(question))})`,
    whole: 'console.log(answer.content)',
    part: "if (part.type === 'content_block_delta' && part.delta.type === 'text_delta') process.stdout.write(part.delta.text)",
  }),
  'content-generation': (question, baseUrl) => ({
    setUp: `import { GoogleGenAI } from '@google/genai'\n\nconst client = new GoogleGenAI({ apiKey: process.env.${VARIABLE}, httpOptions: { baseUrl: '${baseUrl}' } })`,
    call: `client.models.generateContent${question.isStreamed ? 'Stream' : ''}(${script(googleOf(question))})`,
    whole: 'console.log(answer.text)',
    part: "process.stdout.write(part.text ?? '')",
  }),
}

const PYTHON: Readonly<Record<ChatFormat, Writer>> = {
  'chat-completion': (question, baseUrl) => ({
    setUp: openAiPython(baseUrl),
    call: `client.chat.completions.create(${keywords(bodyOf(question))})`,
    whole: 'print(answer.choices[0].message.content)',
    part: 'if part.choices and part.choices[0].delta.content:\n        print(part.choices[0].delta.content, end="")',
  }),
  responses: (question, baseUrl) => ({
    setUp: openAiPython(baseUrl),
    call: `client.responses.create(${keywords(bodyOf(question))})`,
    whole: 'print(answer.output_text)',
    part: 'if part.type == "response.output_text.delta":\n        print(part.delta, end="")',
  }),
  messages: (question, baseUrl) => ({
    setUp: `import os\nfrom anthropic import Anthropic\n\nclient = Anthropic(base_url="${baseUrl}", api_key=os.environ["${VARIABLE}"])`,
    call: `client.messages.create(${keywords(bodyOf(question))})`,
    whole: 'print(answer.content)',
    part: 'if part.type == "content_block_delta" and part.delta.type == "text_delta":\n        print(part.delta.text, end="")',
  }),
  'content-generation': (question, baseUrl) => ({
    setUp: `import os\nfrom google import genai\n\nclient = genai.Client(api_key=os.environ["${VARIABLE}"], http_options={"base_url": "${baseUrl}"})`,
    call: `client.models.generate_content${question.isStreamed ? '_stream' : ''}(${keywords(googleOf(question))})`,
    whole: 'print(answer.text)',
    part: 'print(part.text or "", end="")',
  }),
}

function bodyOf(question: Question): WireRequest['body'] {
  return writeRequest(question).body
}

/** This SDK takes the settings in one object and adds the rest. */
function googleOf(question: Question): WireRequest['body'] {
  const { contents, systemInstruction, generationConfig, tools } = bodyOf(question)
  const config = {
    ...(systemInstruction !== undefined && { systemInstruction: question.system }),
    ...(typeof generationConfig === 'object' && generationConfig),
    ...(tools !== undefined && { tools }),
  }
  return { model: question.model, contents, ...(Object.keys(config).length > 0 && { config }) }
}

interface Lines {
  readonly setUp: string
  readonly call: string
  readonly whole: string
  readonly part: string
}

function scriptOf({ isStreamed }: Question, { setUp, call, whole, part }: Lines): string {
  if (!isStreamed) return `${setUp}\n\nconst answer = await ${call}\n${whole}`
  return `${setUp}\n\nconst stream = await ${call}\nfor await (const part of stream) {\n  ${part}\n}`
}

function pythonOf({ isStreamed }: Question, { setUp, call, whole, part }: Lines): string {
  if (!isStreamed) return `${setUp}\n\nanswer = ${call}\n${whole}`
  return `${setUp}\n\nstream = ${call}\nfor part in stream:\n    ${part}`
}

function openAiScript(baseUrl: string): string {
  return `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.${VARIABLE} })`
}

function openAiPython(baseUrl: string): string {
  return `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["${VARIABLE}"])`
}
