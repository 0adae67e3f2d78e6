"""The hashes by which a supplier and the platform compare ARI (Python 3.9 or later; nothing else is needed)."""
import hashlib
import re
from urllib.parse import quote

FLAGS = ["closed", "closedToArrival", "closedToDeparture"]
LIMITS = ["minLengthStay", "maxLengthStay", "minStayArrival", "maxStayArrival", "minAdvanceDays", "maxAdvanceDays"]
LATER = []  # restrictions that the contract gained later
ZERO_LIMITS = ["maxAdvanceDays"]  # 0 is a limit: on the day itself; of the others, 0 is nothing
GROUPS = ["inv", "res", "pri"]


def lines(night):
    """The lines of a night, without its date: what is set on it, for a room (without rateId) or a room-rate."""
    flags = ["1" if night.get(flag) else "0" for flag in FLAGS]
    limits = [str(night.get(limit) or (0 if limit in ZERO_LIMITS and night.get(limit) == 0 else "")) for limit in LIMITS]
    later = [f"{name}={int(night[name])}" for name in LATER if night.get(name)]
    if "rateId" not in night:
        flags, limits, later = flags[:1], [], []
    prices = night.get("prices") or {}
    price_texts = sorted(f"{bucket}={amount}" for bucket, amount in prices.items())
    model = "unit" if "u" in prices else "guest"
    return {
        "inv": "" if night.get("inventory") is None else str(max(0, night["inventory"])),
        "res": "|".join(flags + limits + later) if "1" in flags or any(limits + later) else "",
        "pri": f"{model}|{','.join(price_texts)}" if prices else "",
    }


def names(entry, *more):
    return {name: entry[name] for name in ("roomId", "rateId", *more) if name in entry}


def key(entry):
    """The name of a room or room-rate in its hotel's hash."""
    codes = names(entry).values()
    return "/".join(re.sub(r"[%|/\x00-\x1f\x7f-\x9f]", lambda found: quote(found[0], safe=""), code) for code in codes)


def hashes(parts, glue):
    """Of a month from its nights' lines (`|`), of a room-rate from its months and a hotel from its room-rates (`:`)."""
    found = {}
    for group in GROUPS:
        ordered = sorted((name.encode(), part[group].encode()) for name, part in parts.items() if part[group])
        text = b"".join(name + glue.encode() + part + b"\n" for name, part in ordered)
        found[group] = hashlib.sha256(text).hexdigest()[:32] if text else ""
    return found


def digests(nights):
    """The hotel's hashes, and those of every month of its rooms and room-rates with their names."""
    entries, months = {}, {}
    for night in nights:
        entries[key(night)] = names(night)
        days = months.setdefault(key(night), {}).setdefault(night["date"][:7], {})
        days[night["date"]] = lines(night)
    by_key = {of: {month: hashes(days, "|") for month, days in parts.items()} for of, parts in months.items()}
    hotel = hashes({of: hashes(parts, ":") for of, parts in by_key.items()}, ":")
    return hotel, [{**entries[of], "month": month, **part} for of, parts in by_key.items() for month, part in parts.items()]
