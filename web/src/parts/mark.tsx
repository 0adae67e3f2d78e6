/** The mark of the product, a gate: the same as web/public/icon.svg. */
export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="#3b5bdb" />
      <path
        d="M8.5 25V15.5a7.5 7.5 0 0 1 15 0V25"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
      />
      <rect x="13" y="18" width="6" height="8.6" rx="1.4" fill="#fff" />
    </svg>
  )
}
