import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'

export type Waiting = { name: string; count: number; more: boolean; oldest_at: string | null }

export function useWaiting() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['waiting'],
    queryFn: () => call<{ data: Waiting[] }>('GET', '/admin/statistics/waiting'),
    refetchInterval: 60_000,
    staleTime: 15_000,
    retry: false,
  })
  const waiting = data && new Map(data.data.map((each) => [each.name, each]))
  return { waiting, error, isPending, refetch }
}
