import { NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SandboxHotel } from '../../../../src/console/sandbox-contract.ts'
import classes from './sandbox.module.css'
import { readAges, type Stay } from './stay.ts'

const adultsMax = 20

/** Where, what, when and for whom. */
export function StayFields({
  hotels,
  hotel,
  stay,
  set,
}: {
  hotels: readonly SandboxHotel[]
  hotel: SandboxHotel
  stay: Stay
  set: (some: Partial<Stay>) => void
}) {
  const { t } = useTranslation()
  const date = (name: 'checkin' | 'checkout') => (
    <TextInput
      type="date"
      required
      withAsterisk={false}
      label={t(`sandbox.booking.${name}`)}
      min={hotel.today}
      value={stay[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <div className={classes['fields']}>
      <NativeSelect
        label={t('sandbox.booking.hotel')}
        value={hotel.code}
        onChange={(event) => set({ hotelCode: event.currentTarget.value, place: 0 })}
        data={hotels.map((one) => ({ value: one.code, label: `${one.name} (${one.code})` }))}
      />
      <NativeSelect
        label={t('sandbox.booking.product')}
        value={String(stay.place)}
        onChange={(event) => set({ place: Number(event.currentTarget.value) })}
        data={hotel.products.map(({ roomName, rateName }, index) => ({
          value: String(index),
          label: `${roomName}, ${rateName}`,
        }))}
      />
      {date('checkin')}
      {date('checkout')}
      <NumberInput
        label={t('sandbox.booking.adults')}
        min={1}
        max={adultsMax}
        allowDecimal={false}
        value={stay.adults}
        onChange={(value) => set({ adults: typeof value === 'number' ? value : 1 })}
      />
      <TextInput
        label={t('sandbox.booking.children')}
        placeholder={t('sandbox.booking.childrenHint')}
        value={stay.children}
        error={readAges(stay.children) ? undefined : t('sandbox.booking.childrenWrong')}
        onChange={(event) => set({ children: event.currentTarget.value })}
      />
    </div>
  )
}
