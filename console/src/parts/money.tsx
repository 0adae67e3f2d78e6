/** An amount as the service sends it: a decimal string with the currency's digits, never used for arithmetic here. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  const [whole = '', digits] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f')
  return (
    <span className="figures" style={{ whiteSpace: 'nowrap' }}>
      {digits === undefined ? grouped : `${grouped}.${digits}`}
      {'\u00a0'}
      <span style={{ color: 'var(--mantine-color-dimmed)', fontSize: '0.9em' }}>{currency}</span>
    </span>
  )
}
