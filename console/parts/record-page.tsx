import { Button, Menu, Modal, NumberInput, type NumberInputProps, TextInput } from '@mantine/core'
import type { FormValidateInput } from '@mantine/form'
import { type Icon, IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { OPERATOR } from '../api/operator.ts'
import { useList } from '../api/use-list.ts'
import { useUrlState } from '../app/url-state.ts'
import { ActionMenu } from './forms/action-menu.tsx'
import { ConfirmAction } from './forms/confirm-action.tsx'
import { FormDrawer, type FormDrawerProps } from './forms/form-drawer.tsx'
import { PageHeader } from './layout/page-header.tsx'
import type { PanelProps } from './layout/panel.tsx'
import { type Column, KeyedTablePanel, TwoLines } from './tables/table-panel.tsx'
import { SecretOnce } from './text/secret-once.tsx'

interface Identified {
  readonly id: string
}

/** Some records have a secret, which only the answer that created it contains. */
interface Issued {
  readonly secret?: string | null
}

export interface RecordPanelProps<Row extends Identified, Values extends Identified>
  extends Pick<PanelProps, 'description'> {
  /** The last part of the API path, such as `payment-methods`. */
  readonly slug: string
  readonly title: string
  /** `payment method`, for sentences. */
  readonly noun: string
  /** When it is not the noun with an s. */
  readonly plural?: string
  readonly icon: Icon
  /** Explains the record in the empty state. */
  readonly purpose: string
  /** Placeholder for the id. */
  readonly exampleId: string
  readonly columns: readonly Column<Row>[]
  /** The actions of a row; absent: it can be edited and deleted. */
  readonly actions?: (row: Row, onEdit: () => void) => ReactNode
  /** Initial form values; null for a new record. */
  readonly valuesOf: (row: Row | null) => Values
  readonly bodyOf: (values: Values, row: Row | null) => object
  /** Whether the body of a change names only what changes. */
  readonly isPatched?: boolean
  readonly validate?: FormValidateInput<Values>
  /** The inputs of the form, without the id. */
  readonly fields: FormDrawerProps<Values, Row>['children']
}

export type RecordPageProps<Row extends Identified, Values extends Identified> = RecordPanelProps<
  Row,
  Values
> & {
  readonly description: string
}

/** The page of a simple record: a list, a form to add and edit, and a confirmation before deleting. */
export function RecordPage<Row extends Identified, Values extends Identified>({
  description,
  ...props
}: RecordPageProps<Row, Values>) {
  const { title, noun } = props
  return (
    <>
      <PageHeader title={title} description={description} actions={<AddRecord noun={noun} />} />
      <RecordPanel {...props} />
    </>
  )
}

const CLOSED = { do: '', edit: '' }

/** Opens the form of a `RecordPanel`, which may be on another tab. */
export function AddRecord({ noun, tab = '' }: { readonly noun: string; readonly tab?: string }) {
  const [, setState] = useUrlState({ do: '', tab: '' })
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setState({ do: 'create', ...(tab !== '' && { tab }) })}
    >
      Add {noun}
    </Button>
  )
}

/** The list and the form of a simple record. */
export function RecordPanel<Row extends Identified, Values extends Identified>(
  props: RecordPanelProps<Row, Values>,
) {
  const { slug, title, noun, plural = `${noun}s`, icon, purpose, columns, actions } = props
  const [{ do: doing, edit }, setState] = useUrlState(CLOSED)
  const [secret, setSecret] = useState<string | null>(null)
  const list = useList<Row>(recordKey(slug), `${OPERATOR}/${slug}`)
  const edited = list.rows.find(({ id }) => id === edit)
  const form = {
    ...props,
    takenIds: list.rows.map(({ id }) => id),
    onClose: () => setState(CLOSED),
    onSecret: setSecret,
  }
  const actionsOf = (row: Row) => {
    const onEdit = () => setState({ edit: row.id })
    return actions?.(row, onEdit) ?? <RecordActions slug={slug} noun={noun} id={row.id} onEdit={onEdit} />
  }
  return (
    <>
      <KeyedTablePanel
        rowKey={({ id }) => id}
        label={title}
        list={list}
        columns={[...columns, { head: 'Actions', isHeadHidden: true, isNumeric: true, cell: actionsOf }]}
        empty={{
          icon,
          title: `No ${plural} yet`,
          children: purpose,
          action: { label: `Add ${noun}`, onClick: () => setState({ do: 'create' }), isMain: true },
        }}
      />
      {doing === 'create' && <RecordForm {...form} row={null} />}
      {edited !== undefined && <RecordForm {...form} row={edited} />}
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title={`The secret of the ${noun}`}>
        {secret !== null && <SecretOnce what="Signing secret" secret={secret} />}
      </Modal>
    </>
  )
}

/** The name of a record and its id. */
export function RecordName({ name, id }: Identified & { readonly name: string }) {
  return (
    <TwoLines below={id} belowClass="mono">
      {name}
    </TwoLines>
  )
}

/** Where a record stands among others. */
export function PositionField(props: NumberInputProps) {
  return (
    <NumberInput
      label="Position"
      description="Lower positions come first."
      min={0}
      max={2_000_000_000}
      allowDecimal={false}
      {...props}
    />
  )
}

export function recordKey(slug: string): readonly string[] {
  return ['operator', slug]
}

export function recordCall(slug: string, id: string, rest = ''): string {
  return `${OPERATOR}/${slug}/${encodeURIComponent(id)}${rest}`
}

export interface RecordActionsProps {
  readonly slug: string
  readonly noun: string
  readonly id: string
  readonly onEdit: () => void
  /** What deleting means, beyond that it cannot be undone. */
  readonly consequence?: string
  /** More `Menu.Item`s. */
  readonly children?: ReactNode
}

/** Edit and delete, and what else a record can do. */
export function RecordActions({ slug, noun, id, onEdit, consequence, children }: RecordActionsProps) {
  return (
    <ConfirmAction
      title={`Delete ${id}?`}
      confirmLabel="Delete"
      onConfirm={() => api.delete(recordCall(slug, id))}
      refreshes={[recordKey(slug)]}
      done={`The ${noun} was deleted.`}
      trigger={(open) => (
        <ActionMenu name={id}>
          <Menu.Item onClick={onEdit}>Edit</Menu.Item>
          {children}
          <Menu.Item color="red" onClick={open}>
            Delete
          </Menu.Item>
        </ActionMenu>
      )}
    >
      The {noun} is deleted immediately. {consequence} This cannot be undone.
    </ConfirmAction>
  )
}

interface FormProps<Row> {
  readonly row: Row | null
  readonly takenIds: readonly string[]
  readonly onClose: () => void
  readonly onSecret: (secret: string | null) => void
}

function RecordForm<Row extends Identified, Values extends Identified>(
  props: RecordPanelProps<Row, Values> & FormProps<Row>,
): ReactNode {
  const { noun, exampleId, row, onClose, onSecret, valuesOf, validate, fields } = props
  const isNew = row === null
  return (
    <FormDrawer<Values, Row & Issued>
      title={isNew ? `Add ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}` : `Edit ${row.id}`}
      submitLabel={isNew ? `Add ${noun}` : 'Save'}
      onClose={onClose}
      initialValues={valuesOf(row)}
      {...(validate !== undefined && { validate })}
      send={(values) => save(values, props)}
      refreshes={[recordKey(props.slug)]}
      done={isNew ? `The ${noun} was added.` : `The ${noun} was changed.`}
      onDone={({ secret = null }) => {
        onClose()
        onSecret(secret)
      }}
    >
      {(field, form) => (
        <>
          {isNew && (
            <TextInput
              label="ID"
              description="Lower-case letters, digits and hyphens. You cannot change it later."
              placeholder={exampleId}
              required
              data-autofocus
              {...field('id')}
            />
          )}
          {fields(field, form)}
        </>
      )}
    </FormDrawer>
  )
}

async function save<Row extends Identified, Values extends Identified>(
  values: Values,
  { slug, noun, row, takenIds, isPatched = false, bodyOf }: RecordPanelProps<Row, Values> & FormProps<Row>,
): Promise<Row & Issued> {
  const id = values.id.trim()
  // The gateway would replace it.
  if (row === null && takenIds.includes(id)) {
    throw new ApiError(`There is already a ${noun} with this id.`, { status: 400, param: 'id' })
  }
  const change = row !== null && isPatched ? api.patch<Row & Issued> : api.put<Row & Issued>
  return change(recordCall(slug, id), bodyOf(values, row))
}
