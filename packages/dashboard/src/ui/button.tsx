import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

const LOOKS = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  secondary: 'bg-surface text-ink border border-line-strong/60 hover:bg-raised',
  quiet: 'text-muted hover:text-ink hover:bg-raised',
  danger: 'bg-failed-soft text-failed border border-failed/40 hover:border-failed',
} as const

const SIZES = {
  small: 'h-7 px-2.5 text-[0.85rem] gap-1',
  normal: 'h-9 px-3.5 text-sm gap-1.5',
} as const

export type ButtonLook = keyof typeof LOOKS

interface Shape {
  readonly look?: ButtonLook | undefined
  readonly size?: keyof typeof SIZES | undefined
}

/** For a link that looks like a button. */
export function buttonClasses({ look = 'secondary', size = 'normal' }: Shape = {}): string {
  return classNames(
    'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap select-none',
    'disabled:cursor-not-allowed disabled:opacity-50',
    LOOKS[look],
    SIZES[size],
  )
}

export function Button({
  look,
  size,
  isBusy = false,
  className,
  children,
  disabled,
  ...rest
}: ComponentProps<'button'> & Shape & { readonly isBusy?: boolean | undefined }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
      className={classNames(buttonClasses({ look, size }), className)}
    >
      {children}
    </button>
  )
}

/** A button with only an icon. The label is for screen readers and the tooltip. */
export function IconButton({
  label,
  className,
  ...rest
}: ComponentProps<'button'> & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classNames(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-raised hover:text-ink disabled:opacity-50',
        className,
      )}
    />
  )
}
