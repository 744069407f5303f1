import MoreVert from '@mui/icons-material/MoreVert'
import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  IconButton,
  Menu,
  MenuItem,
  TextField,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, useState } from 'react'
import { useCanAccess, useNotify, useRefresh } from 'react-admin'
import { mayCall, myAbilities } from '../api/auth-provider.ts'
import { call, type Wire } from '../api/client.ts'
import { messageOf } from '../api/message.ts'
import { useText } from '../shell/text.ts'
import type { Area, Deed } from './area.ts'

function deletion(area: Area): Deed {
  const { label, ask } = area.deletes || {}
  return {
    label: label ?? ['Delete', '删除'],
    operation: `delete ${area.path}/{${area.param ?? 'id'}}`,
    tone: 'bad',
    ask: ask ?? ['This cannot be undone.', '此操作无法撤销。'],
    call: () => ({ verb: 'DELETE', path: '' }),
  }
}

export function RowActions({ area, row, after }: { area: Area; row: Wire; after?: () => void }) {
  const t = useText()
  const refresh = useRefresh()
  const notify = useNotify()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [asked, setAsked] = useState<Deed | null>(null)
  const [reason, setReason] = useState('')
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const { canAccess: mayDelete } = useCanAccess({ resource: area.name, action: 'delete' })
  const deeds = [
    ...(area.deeds ?? []).filter(
      ({ operation, when }) => mine && mayCall(mine, operation) && (when?.(row) ?? true),
    ),
    ...(area.deletes !== false && mayDelete ? [deletion(area)] : []),
  ]
  if (deeds.length === 0) return null

  const carryOut = async (deed: Deed) => {
    const { verb, path, body } = deed.call(row)
    const address = `/admin/${area.path}/${encodeURIComponent(String(row.id))}${path ? `/${path}` : ''}`
    setAsked(null)
    try {
      const sent = deed.reason ? { ...body, [deed.reason.field]: reason } : body
      await call(verb, address, sent ? { body: sent } : {})
      notify(t(deed.done ?? ['Done', '已完成']), { type: 'success' })
      refresh()
      after?.()
    } catch (error) {
      notify(messageOf(error), { type: 'error' })
    }
  }
  const choose = (deed: Deed) => {
    setAnchor(null)
    setReason('')
    if (deed.ask || deed.reason) setAsked(deed)
    else void carryOut(deed)
  }
  const stop = (event: MouseEvent) => event.stopPropagation()
  const name = area.title?.(row, t) ?? `#${row.id}`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only keeps a click from opening the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a click from opening the row
    <span onClick={stop}>
      <IconButton
        size="small"
        aria-haspopup="menu"
        aria-label={t([`Actions for ${name}`, `${name} 的操作`])}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <MoreVert fontSize="small" />
      </IconButton>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {deeds.map((deed) => (
          <MenuItem
            key={deed.label[0]}
            onClick={() => choose(deed)}
            sx={deed.tone === 'bad' ? { color: 'error.main' } : {}}
          >
            {t(deed.label)}
          </MenuItem>
        ))}
      </Menu>
      {asked && (
        <Dialog open onClose={() => setAsked(null)} aria-labelledby="deed-title" fullWidth maxWidth="xs">
          <DialogTitle id="deed-title">
            {t(asked.label)}: {name}
          </DialogTitle>
          <DialogContent>
            {asked.ask && <DialogContentText>{t(asked.ask)}</DialogContentText>}
            {asked.reason && (
              <TextField
                autoFocus
                label={t(asked.reason.label)}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
                slotProps={{ htmlInput: { maxLength: 255 } }}
              />
            )}
          </DialogContent>
          <DialogActions>
            <Button onClick={() => setAsked(null)}>{t(['Cancel', '取消'])}</Button>
            <Button
              variant="contained"
              color={asked.tone === 'bad' ? 'error' : 'primary'}
              disabled={asked.reason?.required === true && reason.trim() === ''}
              onClick={() => void carryOut(asked)}
            >
              {t(asked.label)}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </span>
  )
}
