import { type Reply, textOf } from '../conversation.ts'
import { type ChatContent, toStored } from './stored-chat.ts'

export interface ExportedFile {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** A chat to read. Files are only named. */
export function exportMarkdown(title: string, { rounds }: ChatContent): ExportedFile {
  const parts = rounds.map(({ said, replies }) => {
    const files = said.files.map(({ name }) => `*File: ${name}*\n\n`).join('')
    return `## You\n\n${files}${said.text}\n\n${replies.map(writeReply).join('\n\n')}`
  })
  return {
    name: `${fileName(title)}.md`,
    type: 'text/markdown',
    text: `# ${title}\n\n${parts.join('\n\n')}\n`,
  }
}

function writeReply(reply: Reply): string {
  const calls = reply.steps.flatMap(({ results }) =>
    results.map(
      ({ call, output }) =>
        `*Calls ${call.name}*\n\n\`\`\`json\n${call.arguments}\n\`\`\`\n\n\`\`\`\n${output}\n\`\`\`\n\n`,
    ),
  )
  return `## ${reply.model}\n\n${calls.join('')}${textOf(reply)}`
}

/** A chat for programs: everything that is kept of it. */
export function exportJson(title: string, id: string, content: ChatContent): ExportedFile {
  const text = JSON.stringify({ title, ...toStored(id, content) }, null, 2)
  return { name: `${fileName(title)}.json`, type: 'application/json', text }
}

const NAME_LENGTH = 40

function fileName(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, NAME_LENGTH)
    .replace(/^-|-$/g, '')
  return plain === '' ? 'chat' : plain
}

export function download({ name, type, text }: ExportedFile): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
