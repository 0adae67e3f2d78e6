import { Button, Group, NativeSelect, NumberInput, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SandboxFault } from '../../../../src/console-api/sandbox/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Ago } from '../../parts/values/time.tsx'
import classes from './sandbox.module.css'

const faultyCalls = ['priceCheck', 'pushBooking'] as const
const faults = ['timeout', 'status500', 'lostReply', 'garbage'] as const
type NewFault = Pick<SandboxFault, 'calls' | 'fault'>

/** How often pending faults are refreshed. */
const everyMs = 5_000
const timesMax = 1_000

/** Faults for the next calls to the supplier's URLs. */
export function FaultsPanel({ supplierId, mayOrder }: { supplierId: number; mayOrder: boolean }) {
  const { t } = useTranslation()
  const { data, error, isPending, refetch } = useApi(
    'listSandboxFaults',
    { params: { supplierId } },
    { everyMs },
  )
  const order = useChange('orderSandboxFaults', { invalidates: ['listSandboxFaults'] })
  const columns = useColumns()
  const pending = data?.faults ?? []
  const numbered = pending.map((fault, place) => ({ ...fault, place }))
  const send = (newFaults: readonly (NewFault & { times: number; hotelId: string | null })[]) =>
    order.mutate({
      params: { supplierId },
      body: {
        faults: newFaults.map(({ calls, fault, times, hotelId }) => ({
          calls,
          fault,
          times,
          ...(hotelId === null ? {} : { hotelId }),
        })),
      },
    })
  const pendingFaults = pending.map(({ timesLeft: times, ...fault }) => ({ ...fault, times }))
  return (
    <section className={classes['panel']} aria-labelledby="faults">
      <Title order={2} id="faults" mb={4}>
        {t('sandbox.faults.title')}
      </Title>
      <Text size="sm" mb="sm">
        {t('sandbox.faults.what')}
      </Text>
      {mayOrder && (
        <FaultForm
          isBusy={order.isPending}
          onOrder={(fault) => send([...pendingFaults, fault])}
          onClear={pending.length > 0 ? () => send([]) : undefined}
        />
      )}
      {order.error && <ErrorNote error={order.error} />}
      {pending.length > 0 || isPending || error ? (
        <DataTable
          caption={t('sandbox.faults.caption')}
          columns={columns}
          rows={numbered}
          rowKey={({ place }) => place}
          isPending={isPending}
          error={error}
          onRetry={() => void refetch()}
          empty={{ title: t('sandbox.faults.none') }}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t('sandbox.faults.none')}
        </Text>
      )}
    </section>
  )
}

function useColumns(): Column<SandboxFault & { place: number }>[] {
  const { t } = useTranslation()
  return [
    { key: 'calls', header: t('sandbox.faults.calls'), cell: ({ calls }) => t(`sandbox.faults.${calls}`) },
    {
      key: 'fault',
      header: t('sandbox.faults.fault'),
      cell: ({ fault }) => t(`sandbox.faults.kind.${fault}`),
    },
    {
      key: 'times',
      header: t('sandbox.faults.times'),
      cell: ({ timesLeft, hotelId }) => (
        <>
          {t('sandbox.faults.left', { count: timesLeft })}
          {hotelId !== null && `, ${t('sandbox.faults.ofHotel', { code: hotelId })}`}
        </>
      ),
    },
    { key: 'until', header: t('sandbox.faults.until'), cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  ]
}

function FaultForm({
  isBusy,
  onOrder,
  onClear,
}: {
  isBusy: boolean
  onOrder: (fault: NewFault & { times: number; hotelId: string | null }) => void
  onClear: (() => void) | undefined
}) {
  const { t } = useTranslation()
  const [calls, setCalls] = useState<NewFault['calls']>('priceCheck')
  const [fault, setFault] = useState<NewFault['fault']>('timeout')
  const [times, setTimes] = useState(1)
  const [code, setCode] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onOrder({ calls, fault, times, hotelId: code.trim() === '' ? null : code.trim() })
      }}
    >
      <div className={classes['fields']}>
        <NativeSelect
          label={t('sandbox.faults.calls')}
          value={calls}
          onChange={(event) => setCalls(selectionOf(faultyCalls, event.currentTarget.value))}
          data={faultyCalls.map((value) => ({ value, label: t(`sandbox.faults.${value}`) }))}
        />
        <NativeSelect
          label={t('sandbox.faults.fault')}
          value={fault}
          onChange={(event) => setFault(selectionOf(faults, event.currentTarget.value))}
          data={faults.map((value) => ({ value, label: t(`sandbox.faults.kind.${value}`) }))}
        />
        <NumberInput
          label={t('sandbox.faults.times')}
          min={1}
          max={timesMax}
          allowDecimal={false}
          value={times}
          onChange={(value) => setTimes(typeof value === 'number' ? value : 1)}
        />
        <TextInput
          label={t('sandbox.faults.hotelId')}
          placeholder={t('sandbox.faults.anyHotel')}
          maxLength={64}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </div>
      <Group gap="xs" my="sm">
        <Button type="submit" loading={isBusy}>
          {t('sandbox.faults.add')}
        </Button>
        {onClear && (
          <Button variant="default" onClick={onClear}>
            {t('sandbox.faults.clear')}
          </Button>
        )}
      </Group>
    </form>
  )
}

function selectionOf<const V extends string>(values: readonly [V, ...V[]], value: string): V {
  return values.find((one) => one === value) ?? values[0]
}
