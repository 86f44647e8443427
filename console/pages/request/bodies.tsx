import { Group, SegmentedControl, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { TEXT_FORMATS } from '../../../src/vocabulary/words.ts'
import { ApiError } from '../../api/api-error.ts'
import { useBodies, useBodyStorage } from '../../api/settlements.ts'
import type { BodyStorage, Settlement } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CodeBlock, layOutJson } from '../../parts/text/code-block.tsx'
import { isBinary } from '../../parts/text/is-binary.ts'
import { ButtonLink, TextLink } from '../../parts/text/links.tsx'
import { playgroundLink } from '../../parts/wire/stored-request.ts'
import { Conversation } from './conversation.tsx'

const TALLEST = 480

/** The bodies of the request, if the account stores them. */
export function BodiesPanel({ settlement }: { readonly settlement: Settlement }) {
  const { request_id: id, first_byte_ms: firstByteMs } = settlement
  const account = useAccount()
  const storage = useBodyStorage(account.id).data
  const maySee = useMay('see-bodies')
  const mayAsk = useMay('manage-keys')
  const bodies = useBodies(account.id, maySee && storage?.enabled ? id : null)
  const [{ shown }, setState] = useUrlState({ shown: isText(settlement) ? 'conversation' : 'sent' })
  if (!maySee) return null
  return (
    <Panel
      title="Request and response"
      description="As a conversation, or as sent, if the account stores bodies."
      actions={
        bodies.data !== undefined &&
        isText(settlement) && (
          <Group gap="sm">
            <SegmentedControl
              aria-label="How to show the bodies"
              value={shown}
              onChange={(value) => setState({ shown: value })}
              data={[
                { value: 'conversation', label: 'Conversation' },
                { value: 'sent', label: 'As sent' },
              ]}
            />
            {mayAsk && !bodies.data.request_cut && (
              <ButtonLink
                variant="default"
                {...playgroundLink(id)}
                leftSection={<IconMessages size={16} aria-hidden />}
              >
                Open in playground
              </ButtonLink>
            )}
          </Group>
        )
      }
    >
      {bodies.isLoading && <Skeleton height={60} />}
      {storage !== undefined && (!storage.enabled || isMissing(bodies.error)) && (
        <NotKept storage={storage} />
      )}
      {bodies.error !== null && !isMissing(bodies.error) && (
        <ErrorNotice error={bodies.error} onRetry={() => void bodies.refetch()} />
      )}
      {bodies.data !== undefined && shown !== 'sent' && <Conversation id={id} />}
      {bodies.data !== undefined && shown === 'sent' && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Body what="Request" text={bodies.data.request} isCut={bodies.data.request_cut} isSent />
          <Body
            what="Response"
            text={bodies.data.response}
            isCut={bodies.data.response_cut}
            isSent={firstByteMs !== null}
          />
        </SimpleGrid>
      )}
    </Panel>
  )
}

function isText({ client_format: format }: Settlement): boolean {
  return TEXT_FORMATS.some((known) => known === format)
}

interface BodyProps {
  readonly what: 'Request' | 'Response'
  /** Null or empty if it was not stored. */
  readonly text: string | null
  readonly isCut: boolean
  readonly isSent: boolean
}

function Body({ what, text, isCut, isSent }: BodyProps) {
  if (text === null || text === '' || isBinary(text)) {
    return (
      <Text size="sm" c="dimmed">
        {isSent
          ? `The ${what.toLowerCase()} is not shown: only text is stored, not audio or files.`
          : 'No response was delivered.'}
      </Text>
    )
  }
  return (
    <CodeBlock
      title={isCut ? `${what} (truncated)` : what}
      code={layOutJson(text)}
      maxHeight={TALLEST}
      isWrapped
    />
  )
}

function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404
}

function NotKept({ storage: { enabled: isOn, days } }: { readonly storage: BodyStorage }) {
  const mayManage = useMay('manage-bodies')
  return (
    <Text size="sm" c="dimmed">
      {isOn
        ? `These bodies are not stored: the request is older than ${days} days, or storage was off at the time. `
        : 'Prompts and responses are not stored, only usage and cost. '}
      {mayManage && (
        <TextLink inherit underline="always" to="/billing" search={{ tab: 'bodies' }}>
          {isOn ? 'Storage settings' : 'Store bodies of new requests'}
        </TextLink>
      )}
    </Text>
  )
}
