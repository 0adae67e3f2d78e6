"""ARI_URL=https://… ARI_KEY=… python3 reconcile.py H1 nights.json 2 (Python 3.9 or later; 2: decimals of the currency)."""
import json
import os
import sys
from decimal import Decimal
from urllib.request import Request, urlopen

from ari_digest import FLAGS, GROUPS, LATER, LIMITS, digests, key, lines, names


def guests(bucket):
    category = {"a": "adult", "c": "child", "i": "infant"}.get(bucket[0])
    return {"ageCategory": category, "guests": int(bucket[1:])} if category else {}


def call(path, body):
    headers = {"content-type": "application/json", "x-api-key": os.environ["ARI_KEY"]}
    with urlopen(Request(f"{os.environ['ARI_URL']}/v1/push/{path}", json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def differing(name, **body):
    """The names of what differs, of all pages."""
    answer = call("getAriDigest", body)
    found = [names(entry, name) for part in ("differs", "onlyHere", "onlyThere") for entry in answer[part]]
    cursor = answer["nextCursor"]
    return found + differing(name, **{**body, "cursor": cursor}) if cursor else found


def item(night, decimals):
    """Everything of a night: an overlay clears what a rate line doesn't name, and a room's own values are cleared by null."""
    if "rateId" not in night:
        return {**names(night, "date"), "inventory": night.get("inventory"), "closed": bool(night.get("closed"))}
    line = {name: night[name] for name in ["rateId", "inventory", *FLAGS, *LIMITS, *LATER] if night.get(name) is not None}
    if night.get("prices"):
        line["pricingModel"] = "unit" if "u" in night["prices"] else "guest"
        line["prices"] = [{**guests(bucket), "amount": f"{Decimal(amount).scaleb(-decimals):f}"}
                          for bucket, amount in night["prices"].items()]
    return {"roomId": night["roomId"], "date": night["date"], "rates": [line]}


def reconcile(hotel_id, nights, decimals):
    """From the hotel to its months to their days; then pushes the days that differ. Returns how many."""
    dates = sorted(night["date"] for night in nights)
    body = {"hotelId": hotel_id, "from": dates[0], "to": dates[-1]}
    answer = call("getAriDigest", {**body, "level": "hotel"})
    body["from"] = answer["effectiveFrom"]
    nights = [night for night in nights if night["date"] >= body["from"]]
    hotel, months = digests(nights)
    if all(answer["hotel"].get(group, "") == hotel[group] for group in GROUPS):
        return 0
    within = differing("month", **body, level="month", known=months)
    wanted = {(key(entry), entry["month"]) for entry in within}
    by_name = {(key(night), night["date"]): night for night in nights if (key(night), night["date"][:7]) in wanted}
    known = [{**names(night, "date"), **lines(night)} for night in by_name.values()]
    days = differing("date", **body, level="day", known=known, within=within)
    items = [item(by_name.get((key(day), day["date"]), day), decimals) for day in days]
    for start in range(0, len(items), 1000):
        call("ari", {"hotelId": hotel_id, "mode": "overlay", "ari": items[start:start + 1000]})
    return len(items)


if __name__ == "__main__":
    stored = json.load(open(sys.argv[2], encoding="utf-8"))
    print(f"{reconcile(sys.argv[1], stored, int(sys.argv[3]))} nights pushed again")
