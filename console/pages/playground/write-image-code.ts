import { curlForm, curlJson, KEY_VARIABLE as VARIABLE } from '../../parts/code/literals.ts'
import { type ImageRequest, imageFields } from './image-generation.ts'
import type { Code } from './write-code.ts'

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
  const curl = {
    url: `${baseUrl}/v1/images/${isEdit ? 'edits' : 'generations'}`,
    key: `$${VARIABLE}`,
    fields,
  }
  return [
    {
      id: 'curl',
      label: 'curl',
      code: isEdit
        ? curlForm({ ...curl, files: files.map((field) => ({ field, name: `${field}.png` })) })
        : curlJson(curl),
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
