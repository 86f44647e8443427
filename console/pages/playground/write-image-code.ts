import { type ImageRequest, imageFields } from './image-generation.ts'
import type { Code } from './write-code.ts'

const VARIABLE = 'TURNPIKE_API_KEY'

interface ImageCodeOptions {
  readonly isEdit: boolean
  readonly baseUrl: string
}

/** Code that requests the same images. */
export function writeImageCode(question: ImageRequest, { isEdit, baseUrl }: ImageCodeOptions): Code[] {
  const prompt = question.prompt.trim() === '' ? 'A lighthouse at dawn' : question.prompt
  const fields = imageFields({ ...question, prompt })
  const hasMask = question.edit !== null && question.edit.mask !== null
  const files = isEdit ? ['image', ...(hasMask ? ['mask'] : [])] : []
  const call = isEdit ? 'images.edit' : 'images.generate'
  return [
    {
      id: 'curl',
      label: 'curl',
      code: isEdit ? curlForm(baseUrl, fields, files) : curlJson(baseUrl, fields),
    },
    {
      id: 'typescript',
      label: 'TypeScript',
      code: [
        ...(isEdit ? ["import { createReadStream } from 'node:fs'"] : []),
        "import { writeFile } from 'node:fs/promises'",
        "import OpenAI from 'openai'",
        '',
        `const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.${VARIABLE} })`,
        `const answer = await client.${call}({`,
        ...Object.entries(fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`),
        ...files.map((name) => `  ${name}: createReadStream('${name}.png'),`),
        '})',
        "await writeFile('result.png', Buffer.from(answer.data[0].b64_json, 'base64'))",
      ].join('\n'),
    },
    {
      id: 'python',
      label: 'Python',
      code: [
        'import base64, os',
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["${VARIABLE}"])`,
        `answer = client.${call}(`,
        ...Object.entries(fields).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`),
        ...files.map((name) => `    ${name}=open("${name}.png", "rb"),`),
        ')',
        'with open("result.png", "wb") as file:',
        '    file.write(base64.b64decode(answer.data[0].b64_json))',
      ].join('\n'),
    },
  ]
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function curlJson(baseUrl: string, fields: object): string {
  return [
    `curl ${baseUrl}/v1/images/generations \\`,
    `  -H "Authorization: Bearer $${VARIABLE}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d ${quote(JSON.stringify(fields))}`,
  ].join('\n')
}

function curlForm(baseUrl: string, fields: object, files: readonly string[]): string {
  const parts = [
    ...Object.entries(fields).map(([name, value]) => `--form-string ${quote(`${name}=${value}`)}`),
    ...files.map((name) => `-F ${name}=@${name}.png`),
  ]
  return [
    `curl ${baseUrl}/v1/images/edits \\`,
    `  -H "Authorization: Bearer $${VARIABLE}" \\`,
    ...parts.map((part, index) => `  ${part}${index === parts.length - 1 ? '' : ' \\'}`),
  ].join('\n')
}
