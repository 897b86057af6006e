import type { Login } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { submitting } from '../../ui/submitting.ts'

/** Always typed, never taken from the URL: a link must not bring somebody else's code. */
export function CodeForm({ onFound }: { readonly onFound: (login: Login, userCode: string) => void }) {
  const [userCode, setUserCode] = useState('')
  const find = useMutation({
    mutationFn: () => skein.findLogin({ userCode }),
    onSuccess: (login) => onFound(login, userCode),
  })
  return (
    <form className="flex flex-col gap-5" onSubmit={submitting(() => find.mutate())}>
      <TextField
        label="Code"
        name="code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        required
        autoFocus
        maxLength={40}
        placeholder="XXXX-XXXX"
        className="font-mono tracking-widest uppercase"
        value={userCode}
        onChange={(event) => setUserCode(event.target.value)}
        hint={
          <>
            From <code>skein login --device</code> in your own terminal. Support will never ask you to type a
            code here.
          </>
        }
      />
      <Button type="submit" look="primary" isBusy={find.isPending}>
        Continue
      </Button>
      {find.isError && <ErrorNotice error={find.error} />}
    </form>
  )
}
