import { Button, Group, Select, Stack, Table, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type AnswerTo, useApi, useChange } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { EmptyState } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useFilter, useSetFilters } from '../../parts/lists/filters.tsx'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Page, PageWait } from '../../parts/page.tsx'
import { useManages, useMe } from '../../parts/session.tsx'
import { BookingPanel } from './booking-panel.tsx'
import { CallsPanel } from './calls-panel.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import classes from './sandbox.module.css'

export function SandboxPage() {
  const { t } = useTranslation()
  const { environment, supplier } = useMe()
  if (environment === 'sandbox' && supplier)
    return (
      <Page title={t('sandbox.title')} intro={t('sandbox.introOfSupplier')}>
        <Trials supplierId={supplier.supplierId} />
      </Page>
    )
  if (environment === 'sandbox') return <Sandbox />
  return (
    <Page title={t('sandbox.title')}>
      <EmptyState title={t('sandbox.production')} hint={t('sandbox.productionHint')} />
    </Page>
  )
}

function Sandbox() {
  const { t } = useTranslation()
  const [named] = useFilter('supplierId')
  const { data, error, refetch } = useApi('listSuppliers', { query: {} })
  const suppliers = data?.suppliers ?? []
  const [only, ...others] = suppliers
  // With only one supplier, there is nothing to choose.
  const chosen = named === '' && only && others.length === 0 ? String(only.supplierId) : named
  const supplierId = /^\d{1,10}$/.test(chosen) ? Number(chosen) : undefined
  return (
    <Page title={t('sandbox.title')} intro={t('sandbox.intro')}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PageWait />}
      {data && suppliers.length === 0 && (
        <EmptyState
          title={t('sandbox.noSuppliers')}
          action={<ButtonTo to="/suppliers">{t('sandbox.toSuppliers')}</ButtonTo>}
        />
      )}
      {suppliers.length > 0 && <SupplierChoice supplierId={supplierId} />}
      {suppliers.length > 0 && supplierId === undefined && (
        <EmptyState title={t('sandbox.noSupplier')} hint={t('sandbox.noSupplierHint')} />
      )}
      {supplierId !== undefined && <Trials key={supplierId} supplierId={supplierId} />}
    </Page>
  )
}

function Trials({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const mayTry = useManages()
  return (
    <div className={classes['columns']}>
      <Stack gap="lg">
        {mayTry ? (
          <>
            <ExamplePanel supplierId={supplierId} />
            <BookingPanel supplierId={supplierId} />
          </>
        ) : (
          <EmptyState title={t('sandbox.mayOnlyLook')} />
        )}
        <FaultsPanel supplierId={supplierId} mayOrder={mayTry} />
        <ClockPanel supplierId={supplierId} mayTry={mayTry} />
      </Stack>
      <CallsPanel supplierId={supplierId} />
    </div>
  )
}

const typingMs = 200

/** The supplier to act for; its id is in the URL. */
function SupplierChoice({ supplierId }: { supplierId: number | undefined }) {
  const { t } = useTranslation()
  const setFilters = useSetFilters()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed, typingMs)
  const chosen = useApi(
    'getSupplier',
    { params: { supplierId: supplierId ?? 0 } },
    { enabled: supplierId !== undefined },
  ).data?.supplier
  const isNameOfChosen = chosen?.name === search
  const found = useApi(
    'listSuppliers',
    { query: { search: isNameOfChosen ? '' : search } },
    { keepPrevious: true },
  )
  const nameById = new Map([
    ...(chosen ? [[String(chosen.supplierId), chosen.name] as const] : []),
    ...(found.data?.suppliers ?? []).map((one) => [String(one.supplierId), one.name] as const),
  ])
  return (
    <Select
      mb="md"
      maw={360}
      label={t('sandbox.supplier')}
      placeholder={t('sandbox.chooseSupplier')}
      searchable
      value={supplierId === undefined ? null : String(supplierId)}
      data={[...nameById].map(([value, label]) => ({ value, label }))}
      onSearchChange={setTyped}
      onChange={(value) => setFilters({ supplierId: value ?? '', call: '' })}
    />
  )
}

const invalidates = ['listSandboxHotels', 'getSupplier', 'listSuppliers'] as const

/** Pushes the example hotel on behalf of the supplier. */
function ExamplePanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const push = useChange('pushExampleHotel', { invalidates })
  return (
    <section className={classes['panel']} aria-labelledby="example">
      <Title order={2} id="example" mb={4}>
        {t('sandbox.example.title')}
      </Title>
      <Text size="sm" mb="sm">
        {t('sandbox.example.what')}
      </Text>
      <Button
        leftSection={<Upload size={14} aria-hidden />}
        loading={push.isPending}
        onClick={() => push.mutate({ params: { supplierId } })}
      >
        {t('sandbox.example.push')}
      </Button>
      <div role="status">{push.data && <ExamplePushes pushed={push.data} />}</div>
      {push.error && (
        <div className={classes['below']}>
          <ErrorNote error={push.error} />
        </div>
      )}
    </section>
  )
}

function ExamplePushes({ pushed: { hotelId, pushes } }: { pushed: AnswerTo<'pushExampleHotel'> }) {
  const { t } = useTranslation()
  const params = { hotelId: String(hotelId) }
  return (
    <>
      <Table aria-label={t('sandbox.example.caption')} mt="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('sandbox.example.step')}</Table.Th>
            <Table.Th scope="col">{t('sandbox.example.answer')}</Table.Th>
            <Table.Th scope="col">{t('sandbox.example.requestId')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pushes.map(({ kind, message, requestId }) => (
            <Table.Tr key={requestId}>
              <Table.Td>{isStep(kind) ? t(`sandbox.example.kinds.${kind}`) : kind}</Table.Td>
              <Table.Td>{message}</Table.Td>
              <Table.Td>
                <LinkTo to="/pushes" search={{ requestId }} size="sm">
                  <Code>{requestId.slice(-8)}</Code>
                </LinkTo>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="md" mt="xs">
        <LinkTo to="/hotels/$hotelId" params={params} size="sm">
          {t('sandbox.example.open')}
        </LinkTo>
        <LinkTo to="/hotels/$hotelId/calendar" params={params} size="sm">
          {t('sandbox.example.calendar')}
        </LinkTo>
      </Group>
    </>
  )
}

const steps = ['hotels', 'products', 'taxes', 'ari'] as const

function isStep(kind: string): kind is (typeof steps)[number] {
  return steps.some((step) => step === kind)
}
