import type { Account, TierAssignment } from '../../vocabulary/account.ts'
import { formatUsdt } from '../../vocabulary/money.ts'
import { describeOptionalTime, describeTime } from './describe-time.ts'

/** An account's stored facts as operators read them, in answers and in the audit alike. */
export function describeAccount(account: Account) {
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    earned_tier: account.earnedTier,
    tier_assignment: account.tierAssignment && describeAssignment(account.tierAssignment),
    total_paid: formatUsdt(account.totalPaidNano),
    credit_line: account.creditLineNano === null ? null : formatUsdt(account.creditLineNano),
    balance_alert: account.balanceAlertNano === null ? null : formatUsdt(account.balanceAlertNano),
    created_at: describeTime(account.createdAtMs),
  }
}

function describeAssignment(assignment: TierAssignment) {
  return {
    tier: assignment.tier,
    rpm: assignment.rpm,
    tpm: assignment.tpm,
    expires_at: describeOptionalTime(assignment.expiresAtMs),
    reason: assignment.reason,
    assigned_by: assignment.assignedBy,
  }
}
