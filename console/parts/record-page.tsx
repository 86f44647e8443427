import { Button, Menu, TextInput } from '@mantine/core'
import type { FormValidateInput } from '@mantine/form'
import { type Icon, IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { OPERATOR } from '../api/operator.ts'
import { useList } from '../api/use-list.ts'
import { useUrlState } from '../app/url-state.ts'
import { ActionMenu } from './forms/action-menu.tsx'
import { ConfirmAction } from './forms/confirm-action.tsx'
import { FormDrawer, type FormDrawerProps } from './forms/form-drawer.tsx'
import { PageHeader } from './layout/page-header.tsx'
import { type Column, KeyedTablePanel } from './tables/table-panel.tsx'

interface Identified {
  readonly id: string
}

export interface RecordPageProps<Row extends Identified, Values extends Identified> {
  /** The last part of the API path, such as `payment-methods`. */
  readonly slug: string
  readonly title: string
  readonly description: string
  /** `payment method`, for sentences. */
  readonly noun: string
  readonly icon: Icon
  /** Explains the record in the empty state. */
  readonly purpose: string
  /** Placeholder for the id. */
  readonly exampleId: string
  readonly columns: readonly Column<Row>[]
  /** Initial form values; null for a new record. */
  readonly valuesOf: (row: Row | null) => Values
  readonly bodyOf: (values: Values) => object
  readonly validate?: FormValidateInput<Values>
  /** The inputs of the form, without the id. */
  readonly fields: FormDrawerProps<Values, Row>['children']
}

/** The page of a simple record: a list, a form to add and edit, and a confirmation before deleting. */
export function RecordPage<Row extends Identified, Values extends Identified>(
  props: RecordPageProps<Row, Values>,
) {
  const { slug, title, description, noun, icon, purpose, columns } = props
  const [{ do: doing, edit }, setState] = useUrlState({ do: '', edit: '' })
  const list = useList<Row>(keyOf(slug), `${OPERATOR}/${slug}`)
  const edited = list.rows.find(({ id }) => id === edit)
  const add = () => setState({ do: 'create' })
  const close = () => setState({ do: '', edit: '' })
  const label = `Add ${noun}`
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            {label}
          </Button>
        }
      />
      <KeyedTablePanel
        rowKey={({ id }) => id}
        label={title}
        list={list}
        columns={[...columns, actionsOf(props, (id) => setState({ edit: id }))]}
        empty={{
          icon,
          title: `No ${noun}s yet`,
          children: purpose,
          action: { label, onClick: add, isMain: true },
        }}
      />
      {doing === 'create' && <RecordForm {...props} row={null} onClose={close} />}
      {edited !== undefined && <RecordForm {...props} row={edited} onClose={close} />}
    </>
  )
}

function keyOf(slug: string): readonly string[] {
  return ['operator', slug]
}

function callOf(slug: string, id: string): string {
  return `${OPERATOR}/${slug}/${encodeURIComponent(id)}`
}

function actionsOf<Row extends Identified>(
  { slug, noun }: { readonly slug: string; readonly noun: string },
  onEdit: (id: string) => void,
): Column<Row> {
  return {
    head: 'Actions',
    isHeadHidden: true,
    isNumeric: true,
    cell: ({ id }) => (
      <ConfirmAction
        title={`Delete ${id}?`}
        confirmLabel="Delete"
        onConfirm={() => api.delete(callOf(slug, id))}
        refreshes={[keyOf(slug)]}
        done={`The ${noun} was deleted.`}
        trigger={(open) => (
          <ActionMenu name={id}>
            <Menu.Item onClick={() => onEdit(id)}>Edit</Menu.Item>
            <Menu.Item color="red" onClick={open}>
              Delete
            </Menu.Item>
          </ActionMenu>
        )}
      >
        The {noun} is deleted immediately. This cannot be undone.
      </ConfirmAction>
    ),
  }
}

interface FormProps<Row> {
  readonly row: Row | null
  readonly onClose: () => void
}

function RecordForm<Row extends Identified, Values extends Identified>(
  props: RecordPageProps<Row, Values> & FormProps<Row>,
): ReactNode {
  const { slug, noun, exampleId, row, onClose, valuesOf, bodyOf, validate, fields } = props
  const isNew = row === null
  return (
    <FormDrawer<Values, Row>
      title={isNew ? `Add a ${noun}` : `Edit ${row.id}`}
      submitLabel={isNew ? `Add ${noun}` : 'Save'}
      onClose={onClose}
      initialValues={valuesOf(row)}
      {...(validate !== undefined && { validate })}
      send={(values) => api.put<Row>(callOf(slug, values.id.trim()), bodyOf(values))}
      refreshes={[keyOf(slug)]}
      done={isNew ? `The ${noun} was added.` : `The ${noun} was changed.`}
    >
      {(field, form) => (
        <>
          {isNew && (
            <TextInput
              label="Id"
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
