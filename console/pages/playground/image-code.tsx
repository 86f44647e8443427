import { Drawer, Stack, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { LanguageTabs, ResponseView } from './code-drawer.tsx'
import { type Generation, type ImageRequest, imageFields } from './image-generation.ts'
import { writeImageCode } from './write-image-code.ts'

export interface ImageCodeDrawerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly question: ImageRequest
  readonly isEdit: boolean
}

export function ImageCodeDrawer({ isOpen, onClose, question, isEdit }: ImageCodeDrawerProps) {
  const codes = writeImageCode(question, { isEdit, baseUrl: window.location.origin })
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="Copy as code">
      <Stack gap="sm">
        <LanguageTabs codes={codes} />
        <Text size="sm" c="dimmed">
          The code reads the key from the environment variable TURNPIKE_API_KEY.
        </Text>
      </Stack>
    </Drawer>
  )
}

export interface ImageWireDrawerProps {
  readonly generation: Generation
  readonly isOpen: boolean
  readonly onClose: () => void
}

// Base64 images are shortened: they have millions of characters, and browsers are slow to lay them out.
const BASE64_IMAGE = /("b64_json"\s*:\s*")([^"]{60})[^"]*"/g

export function ImageWireDrawer({ generation, isOpen, onClose }: ImageWireDrawerProps) {
  const { question, answer } = generation
  const body = answer.body?.replace(BASE64_IMAGE, '$1$2…"') ?? null
  const sent = question.edit === null ? 'generations' : 'edits'
  const files =
    question.edit === null ? {} : { image: '(the image)', ...(question.edit.mask && { mask: '(the mask)' }) }
  const type = question.edit === null ? 'application/json' : 'multipart/form-data'
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="As sent">
      <Tabs defaultValue="request" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Response</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <Stack gap="sm">
            <CodeBlock
              title="Headers"
              code={`POST /v1/images/${sent}\ncontent-type: ${type}\nauthorization: Bearer sk-…`}
              isWrapped
            />
            <CodeBlock
              title="Body"
              code={JSON.stringify({ ...imageFields(question), ...files }, null, 2)}
              isWrapped
            />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <ResponseView answer={{ ...answer, body }} />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  )
}
