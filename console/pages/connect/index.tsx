import { NativeSelect, NavLink, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useKey, useKeys } from '../../api/keys.ts'
import { useModels } from '../../api/models.ts'
import type { ApiKey, Model } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ModelField } from '../../parts/forms/model-field.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { describeFormat, playgroundMode } from '../../parts/models/supply-words.ts'
import { KeyPicker } from '../../parts/pickers/key-picker.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { ButtonLink, TextLink } from '../../parts/text/links.tsx'
import { isAllowed, pickModel, snippetKind } from '../../parts/text/pick-model.ts'
import type { SnippetKind } from '../../parts/text/snippets.ts'
import { CHAT_FORMATS } from '../../parts/wire/question.ts'
import { TestPanel } from './test-panel.tsx'
import { listTools, type Tool } from './tools.ts'

const GROUPS = ['Libraries', 'Coding agents', 'Apps'] as const

export function Page() {
  const account = useAccount()
  const [state, setState] = useUrlState({ tool: 'curl', model: '', key: '' })
  const [secret, setSecret] = useState('')
  const models = useModels(account.id)
  const chosen = useChosenKey(account.id, state.key)
  const allowlist = chosen?.model_allowlist ?? null
  const allowed = models.data?.data.filter(({ id }) => isAllowed(id, allowlist)) ?? []
  const asked = allowed.find(({ id }) => id === state.model)
  const { model, kind } =
    asked === undefined ? pickModel(allowed, null) : { model: asked.id, kind: snippetKind(asked) }
  const tools = listTools({
    baseUrl: window.location.origin,
    key: secret.trim() === '' ? placeholderOf(chosen) : secret.trim(),
    model,
    kind,
  })
  const tool = tools.find(({ id }) => id === state.tool) ?? tools[0]
  const format = CHAT_FORMATS.find((known) => known === tool?.format)
  return (
    <>
      <PageHeader
        title="Connect"
        description="Settings for your programs, with this gateway’s address filled in."
      />
      <ErrorNotice error={models.error} onRetry={() => void models.refetch()} />
      <div className="connect">
        <ToolList tools={tools} chosen={tool?.id ?? ''} onChoose={(id) => setState({ tool: id })} />
        <Stack gap="lg" miw={0}>
          <Choices
            account={account.id}
            chosenKey={chosen}
            onKey={(key) => setState({ key })}
            secret={secret}
            onSecret={setSecret}
            models={allowed}
            model={model}
            onModel={(value) => setState({ model: value })}
          />
          {tool !== undefined && <Settings tool={tool} />}
          {tool !== undefined && format !== undefined && (
            <TestPanel
              key={`${tool.id} ${model} ${secret}`}
              account={account.id}
              tool={tool}
              format={format}
              model={model}
              secret={secret.trim()}
            />
          )}
          {format === undefined && <TryPanel model={model} kind={kind} />}
        </Stack>
      </div>
    </>
  )
}

/** The key in the address, if it works, or else the oldest that does. */
function useChosenKey(account: string, id: string): ApiKey | undefined {
  const [first] = useKeys(account, { state: 'active', limit: 1 }).rows
  const asked = useKey(account, id === '' ? (first?.id ?? '') : id)
  return asked.data?.state === 'active' ? asked.data : first
}

/** The test sends a chat, which other kinds of models do not answer. */
function TryPanel({ model, kind }: { readonly model: string; readonly kind: SnippetKind }) {
  return (
    <Panel
      title="Test connection"
      description={`${model} does not chat, so there is nothing short to send. Try it with requests of your own.`}
    >
      <ButtonLink variant="default" to="/playground" search={{ mode: playgroundMode([kind]), model }}>
        Open the playground
      </ButtonLink>
    </Panel>
  )
}

interface ToolListProps {
  readonly tools: readonly Tool[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

function ToolList({ tools, chosen, onChoose }: ToolListProps) {
  const groups = GROUPS.filter((group) => tools.some((tool) => tool.group === group))
  return (
    <>
      <NativeSelect
        hiddenFrom="md"
        label="Program"
        mb="md"
        value={chosen}
        onChange={(event) => onChoose(event.currentTarget.value)}
        data={groups.map((group) => ({
          group,
          items: tools.filter((tool) => tool.group === group).map(({ id, label }) => ({ value: id, label })),
        }))}
      />
      <nav aria-label="Programs" className="connect-list mantine-visible-from-md">
        {groups.map((group) => (
          <div key={group}>
            <Text size="xs" fw={600} c="dimmed" px="sm" pb={4} pt="sm">
              {group}
            </Text>
            {tools
              .filter((tool) => tool.group === group)
              .map(({ id, label }) => (
                <NavLink
                  key={id}
                  component="button"
                  label={label}
                  active={id === chosen}
                  aria-current={id === chosen ? 'page' : undefined}
                  onClick={() => onChoose(id)}
                  className="nav-link"
                />
              ))}
          </div>
        ))}
      </nav>
    </>
  )
}

function Settings({ tool }: { readonly tool: Tool }) {
  return (
    <Panel title={tool.label} description={`Speaks the ${describeFormat(tool.format)} format.`}>
      <Stack gap="sm">
        {tool.note !== undefined && <Text size="sm">{tool.note}</Text>}
        {tool.blocks.map(({ title, code }) => (
          <CodeBlock key={title} title={title} code={code} />
        ))}
      </Stack>
    </Panel>
  )
}

interface ChoicesProps {
  readonly account: string
  readonly chosenKey: ApiKey | undefined
  readonly onKey: (id: string) => void
  readonly secret: string
  readonly onSecret: (secret: string) => void
  readonly models: readonly Model[]
  readonly model: string
  readonly onModel: (model: string) => void
}

/** Placeholder for the secret, which the gateway does not know. */
function placeholderOf(key: ApiKey | undefined): string {
  return key === undefined ? 'YOUR-API-KEY' : `YOUR-KEY-ENDING-IN-${key.last_four ?? key.name}`
}

function Choices(props: ChoicesProps) {
  const { account, chosenKey, onKey, secret, onSecret, models, model, onModel } = props
  return (
    <Panel title="Model and key">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ModelField models={models} model={model} onChange={onModel} />
        {chosenKey === undefined ? (
          <Text size="sm" c="dimmed" className="connect-no-key">
            You have no API key yet.{' '}
            <TextLink inherit underline="always" to="/keys">
              Create one
            </TextLink>{' '}
            and copy its secret.
          </Text>
        ) : (
          <KeyPicker label="API key" account={account} state="active" value={chosenKey.id} onChange={onKey} />
        )}
      </SimpleGrid>
      <PasswordInput
        mt="sm"
        label="Secret of the key"
        description="Filled in below and used for the test. It is not stored or sent anywhere else."
        placeholder="sk-…"
        autoComplete="off"
        value={secret}
        onChange={(event) => onSecret(event.currentTarget.value)}
      />
    </Panel>
  )
}
