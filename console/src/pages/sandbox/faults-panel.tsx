import { Button, Group, NativeSelect, NumberInput, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SandboxFault } from '../../../../src/console/sandbox/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Ago } from '../../parts/time.tsx'
import classes from './sandbox.module.css'

const spoilable = ['priceCheck', 'pushBooking'] as const
const faults = ['timeout', 'status500', 'lostReply', 'garbage'] as const
type Wanted = Pick<SandboxFault, 'calls' | 'fault'>

/** So often what is left of an order is looked at again. */
const everyMs = 5_000
const timesMax = 1_000

/** Faults that the next calls of the supplier's URLs are to suffer. */
export function FaultsPanel({ supplierId, mayOrder }: { supplierId: number; mayOrder: boolean }) {
  const { t } = useTranslation()
  const { data, error, isPending, refetch } = useApi(
    'listSandboxFaults',
    { params: { supplierId } },
    { everyMs },
  )
  const order = useChange('orderSandboxFaults', { invalidates: ['listSandboxFaults'] })
  const columns = useColumns()
  const held = data?.faults ?? []
  const numbered = held.map((fault, place) => ({ ...fault, place }))
  const send = (wanted: readonly (Wanted & { times: number; hotelId: string | null })[]) =>
    order.mutate({
      params: { supplierId },
      body: {
        faults: wanted.map(({ calls, fault, times, hotelId }) => ({
          calls,
          fault,
          times,
          ...(hotelId === null ? {} : { hotelId }),
        })),
      },
    })
  const asOrdered = held.map(({ timesLeft: times, ...fault }) => ({ ...fault, times }))
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
          onOrder={(wanted) => send([...asOrdered, wanted])}
          onClear={held.length > 0 ? () => send([]) : undefined}
        />
      )}
      {order.error && <ErrorNote error={order.error} />}
      {held.length > 0 || isPending || error ? (
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
  onOrder: (wanted: Wanted & { times: number; hotelId: string | null }) => void
  onClear: (() => void) | undefined
}) {
  const { t } = useTranslation()
  const [calls, setCalls] = useState<Wanted['calls']>('priceCheck')
  const [fault, setFault] = useState<Wanted['fault']>('timeout')
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
          onChange={(event) => setCalls(chosenOf(spoilable, event.currentTarget.value))}
          data={spoilable.map((value) => ({ value, label: t(`sandbox.faults.${value}`) }))}
        />
        <NativeSelect
          label={t('sandbox.faults.fault')}
          value={fault}
          onChange={(event) => setFault(chosenOf(faults, event.currentTarget.value))}
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

function chosenOf<const V extends string>(values: readonly [V, ...V[]], value: string): V {
  return values.find((one) => one === value) ?? values[0]
}
